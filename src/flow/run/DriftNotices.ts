import type { ClientEvent } from '../../client/ClientEvent.ts';
import type { DriftCount } from '../../contract/index.ts';
import type { FlowClient } from './FlowClient.ts';

/** Collects a client's reports of undocumented responses during one run of a flow. */
export class DriftNotices {
  readonly #client: FlowClient;
  readonly #before: ReadonlyMap<string, number>;
  readonly #skipping = new Set<string>();

  constructor(client: FlowClient) {
    this.#client = client;
    this.#before = new Map(client.drift?.().map((issue) => [keyOf(issue), issue.responses]));
  }

  /** The notice for an event. Each issue is reported once, and skipped rows once per operation. */
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

  /** The issues found in this run. */
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
