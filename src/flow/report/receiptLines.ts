import type { RunReceipt, StageReceipt } from '../run/receiptOf.ts';
import { countOf, formatSum } from './format.ts';

/** What a row that is kept has cost. */
export function perRow({ money, rows }: Pick<StageReceipt, 'money' | 'rows'>): string {
  return rows === 0 ? '–' : formatSum(Number((money / rows).toPrecision(3)), 0, 9);
}

/** What was paid for, and what was saved, a sentence each. Nothing where no price is known and nothing was saved. */
export function receiptLines({ stages, total, fewer = 0 }: RunReceipt): readonly string[] {
  const { money, requests, failed, failedMoney, retries, again, saved } = total;
  const worth = (count: number): string => (money === 0 || requests === 0 ? '' : `, about ${formatSum((money / requests) * count)}`);
  const besides = [
    ...(failed === 0 ? [] : [`${countOf(failed, 'failure')} for ${formatSum(failedMoney)}`]),
    ...(retries === 0 ? [] : [countOf(retries, 'retry', 'retries')]),
    ...(again === 0 ? [] : [countOf(again, 'recheck')]),
  ];
  const paid = stages.map((one) => `${one.stage} ${formatSum(one.money)}${one.rows === 0 ? '' : `, ${perRow(one)} a row`}`).join('; ');
  return [
    ...(money === 0 ? [] : [`Paid ${formatSum(money)}: ${paid}.${besides.length === 0 ? '' : ` In it are ${besides.join(', ')}.`}`]),
    ...(saved === 0 || money === 0 ? [] : [`The store saved ${countOf(saved, 'request')}${worth(saved)}.`]),
    ...(fewer === 0 ? [] : [`The update took ${countOf(fewer, 'request')} fewer than the largest run before it${worth(fewer)}.`]),
  ];
}
