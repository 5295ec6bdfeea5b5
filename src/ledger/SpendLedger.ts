import { SinkError } from '../errors/index.ts';
import type { Balance, Grant, LedgerEntry } from './Balance.ts';

/** A ledger. It books the entries of all processes in one order. */
export interface SpendLedger {
  /** Its name for errors and reports, without a password. */
  readonly name: string;
  /**
   * Books an entry. When it resolves, the entry survives a power cut. If it fails, the entry may have been booked or not: book the same
   * one again.
   */
  book(entry: LedgerEntry, withinMs: number): Promise<Grant>;
  /** The state of each balance now. */
  balances(): Promise<ReadonlyMap<string, Balance>>;
  /** Visits all entries since a time, in milliseconds since 1970. */
  each(since: number, visit: (entry: LedgerEntry) => void): Promise<void>;
  close(): Promise<void>;
}

/** How long to wait for a ledger that fails or doesn't respond. */
export const patienceMs = 4000;

/** A file with a damaged line. Waiting doesn't help: somebody has to repair it. */
export class DamagedLedger extends SinkError {}
