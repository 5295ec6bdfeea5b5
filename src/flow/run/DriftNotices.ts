import type { ClientEvent } from '../../client/ClientEvent.ts';
import type { DriftCount } from '../../contract/index.ts';
import type { FlowClient } from './FlowClient.ts';

/** What a client tells of responses that aren't as documented, for one run of a flow. */
export class DriftNotices {
  readonly #client: FlowClient;
  readonly #before: ReadonlyMap<string, number>;
  readonly #skipping = new Set<string>();

  constructor(client: FlowClient) {
    this.#client = client;
    this.#before = new Map(client.drift?.().map((issue) => [keyOf(issue), issue.responses]));
  }

  /** What to tell of an event: each issue once, and once for each operation that rows are skipped. */
  of(event: ClientEvent): readonly string[] {
    if (event.type !== 'drift') return [];
    const { operation, issues, setAside } = event;
    const messages = issues.map(({ path, message }) => `${operation}: the response is not as documented: ${path}: ${message}`);
    if (setAside > 0 && !this.#skipping.has(operation)) {
      this.#skipping.add(operation);
      messages.push(`${operation}: rows without a usable shape are skipped; the summary says how many`);
    }
    return messages;
  }

  /** The issues of this run. */
  counts(): readonly DriftCount[] {
    const all = this.#client.drift?.() ?? [];
    return all
      .map((issue) => ({ ...issue, responses: issue.responses - (this.#before.get(keyOf(issue)) ?? 0) }))
      .filter(({ responses }) => responses > 0);
  }
}

function keyOf({ operation, path }: DriftCount): string {
  return `${operation} ${path}`;
}
