import { formatCount } from '../report/formatCount.ts';

/** `1 row`, `12,345 rows`. */
export function count(value: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}
