export { describeLimit, limitsOf, periods, type ReachedLimit, type SpendLimit } from './Balance.ts';
export { balanceOf } from './ledgerNames.ts';
export { billionths, moneyText } from './Balance.ts';
export { newWriter, ownName } from './ledgerNames.ts';
export { isFileLedger, openLedger, repairLedger } from './openLedger.ts';
export { spendingGroups, summarizeSpending, type Spending, type SpendingGroup } from './summarizeSpending.ts';
export { patienceMs, type SpendLedger } from './SpendLedger.ts';
