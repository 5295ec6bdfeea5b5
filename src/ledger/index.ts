export { describeLimit, limitsOf, periods, type ReachedLimit, type SpendLimit } from './Balance.ts';
export { billionths, moneyText } from './money.ts';
export { balanceOf, newWriter, ownName } from './ledgerNames.ts';
export { isFileLedger, openLedger, repairLedger } from './openLedger.ts';
export { spendingGroups, summarizeSpending, type Spending, type SpendingGroup } from './summarizeSpending.ts';
export { patienceMs, type SpendLedger } from './SpendLedger.ts';
