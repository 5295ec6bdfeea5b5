import { nearestName } from '../../operators/check/nearestName.ts';
import type { PageLike } from '../../operators/PageFactory.ts';
import { originOf } from '../../operators/rowOrigin.ts';
import { pathsOf, type FanOutSource, type FanOutSpec } from '../contract/index.ts';

/**
 * Throws when the first row shows that a fan-out stands in the wrong place: behind pages rather than rows, or behind rows
 * of another kind. Without this it would leave everything out, after paid requests.
 */
export function refuseMisfit(name: string, spec: FanOutSpec, row: object, page: PageLike | undefined): void {
  const sources = Object.values(spec.with).flat() as readonly FanOutSource[];
  const wanted = [...new Set(sources.flatMap((source) => pathsOf(source).row?.split(/[.[]/, 1) ?? []))];
  const fields = wanted.join(' or ');
  if (page !== undefined && spec.rows === undefined) {
    throw new TypeError(`${name}: it got a page of ${page.operation} and needs rows with ${fields}; put items() before it`);
  }
  if (page === undefined && spec.rows !== undefined && spec.rows !== null) {
    throw new TypeError(`${name}: it got a row and needs pages, whose ${spec.rows} it reads; leave out the items() before it`);
  }
  if (page !== undefined || wanted.some((field) => field in row)) return;
  const origin = originOf(row);
  const documented = origin?.columns.map(({ keys }) => keys[0] ?? '') ?? [];
  if (wanted.some((field) => documented.includes(field))) return; // this row just doesn't have it
  const has = Object.keys(row);
  const near = wanted.map((field) => nearestName(field, has)).find((field) => field !== undefined);
  if (near === undefined && documented.length === 0) return;
  const what = origin === undefined ? 'a row' : `a row of ${origin.operation}`;
  const hint = near === undefined ? `it has ${has.slice(0, 8).join(', ')}` : `did you mean '${near}'?`;
  throw new TypeError(`${name}: it got ${what} and needs one with ${fields}; ${hint}`);
}
