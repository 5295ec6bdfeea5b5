export { describeLimit, limitsOf, periods, type ReachedLimit, type SpendLimit } from './Balance.ts';
export { balanceOf } from './balanceOf.ts';
export { ownName } from './ownName.ts';
export { openLedger } from './openLedger.ts';
export { spendingGroups, summarizeSpending, type Spending, type SpendingGroup } from './summarizeSpending.ts';
export type { SpendLedger } from './SpendLedger.ts';
