import { getOrInsert } from '../../../operators/kit/once.ts';
import type { ClientEvent } from './clientEvents.ts';

/** What a client did for one operation. */
export interface OperationCount {
  /** Pages that came, over the network or from a store. */
  pages: number;
  rows: number;
  /** Pages from a store. */
  stored: number;
  /** Calls that failed for good. */
  failed: number;
  responses: number;
  bytes: number;
  /** How long the responses took together. */
  ms: number;
  /** Attempts that failed, retried or not, by status, code or name. */
  readonly refused: Map<string, number>;
}

/** The events of a client, summed up. Whatever tells of a client counts with it. */
export class OperationCounts {
  readonly byName: Map<string, OperationCount> = new Map();
  /** Nothing gets through. */
  inOutage = false;

  take(event: ClientEvent): void {
    if (event.type === 'outage') this.inOutage = event.state !== 'over';
    if (event.type !== 'response' && event.type !== 'hit' && event.type !== 'retry' && event.type !== 'failure') return;
    const count = getOrInsert(this.byName, event.operation, () => ({
      pages: 0,
      rows: 0,
      stored: 0,
      failed: 0,
      responses: 0,
      bytes: 0,
      ms: 0,
      refused: new Map(),
    }));
    if (event.type === 'response' || event.type === 'hit') {
      count.pages += 1;
      count.rows += event.items;
      if (event.type === 'hit') count.stored += 1;
      else {
        count.responses += 1;
        count.bytes += event.bytes;
        count.ms += event.ms;
      }
      return;
    }
    if (event.type === 'failure') count.failed += 1;
    const { error } = event;
    if (error.attempts === 0 || error.name === 'BudgetError') return; // the client refused it, so it was not sent, or counted before
    const outcome = outcomeOf(error);
    count.refused.set(outcome, (count.refused.get(outcome) ?? 0) + 1);
  }
}

/** Why an attempt failed: its status, else the name of its error. */
function outcomeOf({ name, status, code }: { readonly name: string; readonly status?: unknown; readonly code?: unknown }): string {
  return String(name === 'EnvelopeError' ? code : (status ?? name));
}
