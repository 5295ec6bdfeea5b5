import { SinkError } from '../errors/index.ts';
import type { Balance, Grant, LedgerEntry } from './Balance.ts';

/** Where entries are booked in one order for all processes. */
export interface SpendLedger {
  /** What errors and reports call it. Without a password. */
  readonly name: string;
  /**
   * Books an entry, after all that others have booked. Once it resolves, the entry survives a power cut. If it fails, nobody knows
   * whether it was booked: book the same one again.
   */
  book(entry: LedgerEntry, withinMs: number): Promise<Grant>;
  /** The state of each balance now. */
  balances(): Promise<ReadonlyMap<string, Balance>>;
  /** All entries since a time, in milliseconds since 1970. */
  each(since: number, visit: (entry: LedgerEntry) => void): Promise<void>;
  close(): Promise<void>;
}

/** A ledger that is away, or a database that gives no response, is waited for so long. */
export const patienceMs = 4000;

/** Somebody has to repair it: waiting doesn't help. */
export class DamagedLedger extends SinkError {}
