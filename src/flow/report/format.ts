import type { FirstQueries } from '../plan/FlowPlan.ts';
import { countOf, formatCount } from '../../../operators/kit/countOf.ts';
import type { FailedAttempts } from '../../errors/FailedAttempts.ts';

export { countOf, formatCount };

const units = ['kB', 'MB', 'GB', 'TB'];

/** `512 B`, `1.2 kB`, `34 MB`; in steps of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 'B';
  for (const next of units) {
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 9.95 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** `76.7 %`. A share below `limit` is never rounded up to it: only all rows are 100 %. */
export function formatShare(share: number, limit: number = 1): string {
  const rounded = Math.round(share * 1000) / 10;
  return `${share < limit && rounded >= limit * 100 ? Math.floor(share * 1000) / 10 : rounded} %`;
}

/** What requests cost, with as many digits as the price of one has, up to six. */
export function formatMoney(requests: number, price: number): string {
  return formatSum(requests * price, 2, Math.min(6, Math.max(2, String(price).split('.')[1]?.length ?? 0)));
}

/** `1,234.50`: with at least and at most so many digits behind the point. */
export function formatSum(sum: number, least: number = 2, most: number = 6): string {
  const [whole, digits = ''] = sum.toFixed(most).split('.');
  const shown = digits.replace(/0+$/, '').padEnd(least, '0');
  return whole!.replace(/\B(?=(\d{3})+$)/g, ',') + (shown === '' ? '' : `.${shown}`);
}

/** `6.00`, `75 credits`, `0.04 USD`. */
export function sumInUnit(sum: number, unit: string | undefined): string {
  return unit === undefined ? formatSum(sum) : `${formatSum(sum, 0)} ${unit}`;
}

/** `44 of 129 requests got HTTP 503 and 3 a timeout`. '' if none failed. */
export function attemptsText(failed: readonly FailedAttempts[], requests: number): string {
  const [first, second] = failed;
  if (first === undefined) return '';
  const also = second === undefined ? '' : ` and ${formatCount(second.count)} ${second.because}`;
  return `${formatCount(first.count)} of ${countOf(requests, 'request')} got ${first.because}${also}`;
}

/** `850 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`: the two largest units. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  return seconds % 60 > 0 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
}

const entities: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
// eslint-disable-next-line no-control-regex -- these are what must not get through
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

/** Escapes text for HTML or SVG, in an element or a quoted attribute. Invisible and bidirectional characters are spelt out. */
export function escapeHtml(text: string): string {
  return text
    .replace(unseen, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[&<>"']/g, (char) => entities[char] as string);
}

/** `20 of 1,200 first queries took 310 requests; all would take about 18,600` */
export function describeFirst({ queries, of, requests, all }: FirstQueries): string {
  const some = of === undefined ? formatCount(queries) : `${formatCount(queries)} of ${formatCount(of)}`;
  const what = `${some} ${(of ?? queries) === 1 ? 'first query' : 'first queries'} took ${countOf(requests, 'request')}`;
  return all === undefined ? what : `${what}; all would take about ${formatCount(all)}`;
}

/** A table that can be scrolled sideways, also with the keyboard. `kind`: a class of its own. */
export function scrolled(table: string, label: string, kind: string = ''): string {
  return `<div class="${`scroll ${kind}`.trim()}" tabindex="0" role="group" aria-label="${escapeHtml(label)}">${table}</div>`;
}

/** What to do or to know, a line each, with the command for it. '' if there is nothing. */
export function stepList(steps: readonly { readonly text: string; readonly command?: string | undefined }[]): string {
  const items = steps.map(({ text, command }) => {
    const copied = command === undefined ? '' : `<code class="command">${escapeHtml(command)}</code>`;
    return `<li>${escapeHtml(text)}${copied}</li>`;
  });
  return items.length === 0 ? '' : `<ul class="steps">${items.join('')}</ul>`;
}
