import { getOrInsert } from '../../operators/kit/once.ts';
import type { Spent } from './Balance.ts';
import type { SpendLedger } from './SpendLedger.ts';

export const spendingGroups = ['day', 'flow', 'operation', 'who'] as const;

/** What was spent on one day, by one flow, on one operation, or by one person or machine. */
export type SpendingGroup = { -readonly [field in keyof Omit<Spent, 'operation'>]: Spent[field] } & { readonly name: string };

export interface Spending {
  /** Days are in order. Other groups: the largest first. */
  readonly groups: readonly SpendingGroup[];
  readonly total: SpendingGroup;
  /** Requests that are reserved, by clients that run or were killed. They count as spent. */
  readonly reserved: number;
}

const nothing = (name: string): SpendingGroup => ({ name, requests: 0, money: 0n, failed: 0, retries: 0 });

/** What was spent since a time, in milliseconds since 1970. */
export async function summarizeSpending(
  ledger: SpendLedger,
  { since, by }: { readonly since: number; readonly by: (typeof spendingGroups)[number] },
): Promise<Spending> {
  const groups = new Map<string, SpendingGroup>();
  const total = nothing('total');
  await ledger.each(since, ({ flow = '(none)', who, settled }) => {
    for (const one of settled?.spent ?? []) {
      const name = { day: settled!.day, flow, operation: one.operation, who }[by];
      for (const group of [getOrInsert(groups, name, nothing), total]) {
        group.requests += one.requests;
        group.money += one.money;
        group.failed += one.failed;
        group.retries += one.retries;
      }
    }
  });
  const reserved = Array.from((await ledger.balances()).values()).reduce((sum, balance) => sum + balance.reserved, 0);
  const order = (one: SpendingGroup, other: SpendingGroup): number => Number(other.money - one.money) || other.requests - one.requests;
  return { groups: [...groups.values()].sort(by === 'day' ? (one, other) => one.name.localeCompare(other.name) : order), total, reserved };
}
