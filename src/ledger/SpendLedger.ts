import type { Balance, Grant, LedgerEntry } from './Balance.ts';

/** Where entries are booked in one order for all processes. */
export interface SpendLedger {
  /** What errors and reports call it. Without a password. */
  readonly name: string;
  /** Books an entry, after all that others have booked. Once it resolves, the entry survives a power cut. */
  book(entry: LedgerEntry): Promise<Grant>;
  /** The state of each balance now. */
  balances(): Promise<ReadonlyMap<string, Balance>>;
  /** All entries since a time, in milliseconds since 1970. `visit` gets each with what it has added. */
  each(since: number, visit: (entry: LedgerEntry, added: Grant['added']) => void): Promise<void>;
  close(): Promise<void>;
}
