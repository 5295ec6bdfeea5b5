import { dayText } from '../../operators/kit/days.ts';
import { exact, type Spent } from './Balance.ts';
import type { SpendLedger } from './SpendLedger.ts';

export const spendingGroups = ['day', 'flow', 'operation', 'who'] as const;

/** What was spent on one day, by one flow, on one operation or by one of those who spend. */
export interface SpendingGroup extends Omit<Spent, 'operation'> {
  readonly name: string;
}

export interface Spending {
  /** The days in order, or the largest first. */
  readonly groups: readonly SpendingGroup[];
  readonly total: SpendingGroup;
  /** Requests that are reserved, by clients that run or were killed. They count as spent. */
  readonly reserved: number;
}

const nothing = { requests: 0, money: 0, failed: 0, retries: 0 };

/** What was spent since a time, in milliseconds since 1970. */
export async function summarizeSpending(
  ledger: SpendLedger,
  { since, by }: { readonly since: number; readonly by: (typeof spendingGroups)[number] },
): Promise<Spending> {
  const groups = new Map<string, SpendingGroup>();
  let total: SpendingGroup = { ...nothing, name: 'total' };
  let reserved = 0;
  await ledger.each(since, ({ at, flow = '(none)', who, spent = [] }, added) => {
    reserved += added.requests;
    for (const one of spent) {
      const name = { day: dayText(at), flow, operation: one.operation, who }[by];
      groups.set(name, plus(groups.get(name) ?? { ...nothing, name }, one));
      total = plus(total, one);
    }
  });
  const all = [...groups.values()];
  const order = (one: SpendingGroup, other: SpendingGroup): number => other.money - one.money || other.requests - one.requests;
  return { groups: by === 'day' ? all : all.toSorted(order), total, reserved: Math.max(0, reserved - total.requests) };
}

function plus(one: SpendingGroup, { requests, money, failed, retries }: Spent): SpendingGroup {
  return {
    name: one.name,
    requests: one.requests + requests,
    money: exact(one.money + money),
    failed: one.failed + failed,
    retries: one.retries + retries,
  };
}
