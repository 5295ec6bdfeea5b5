/** One request to the sandbox. */
export interface SandboxRequest {
  /** The operation. undefined if no operation has the path. */
  readonly operation: string | undefined;
  /** The query parameters as sent. If a parameter was sent twice, the last value. */
  readonly query: { readonly [param: string]: string };
  /** The path, without the query. */
  readonly path: string;
  /** Arrival time, in milliseconds since 1970. */
  readonly at: number;
  /** The status of the response. 0 until it is sent, and if a fault stopped it before the status. */
  readonly status: number;
  /** The fault that was played on it. */
  readonly fault?: string;
}

/** Keeps the latest requests and counts all of them. */
export class RequestLog {
  readonly entries: SandboxRequest[] = [];
  private readonly limit: number;
  private readonly counts = new Map<string, number>();
  private total = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  add(entry: SandboxRequest): void {
    this.total++;
    if (entry.operation !== undefined) this.counts.set(entry.operation, this.count(entry.operation) + 1);
    this.entries.push(entry);
    // a thousand at a time, because each cut moves the whole list
    if (this.entries.length >= this.limit + 1000) this.entries.splice(0, this.entries.length - this.limit);
  }

  count(operation?: string): number {
    return operation === undefined ? this.total : (this.counts.get(operation) ?? 0);
  }

  clear(): void {
    this.entries.length = 0;
    this.counts.clear();
    this.total = 0;
  }
}
