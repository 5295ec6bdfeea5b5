import { sha256 } from '../../files/blocks.ts';
import { uniqueNames } from '../table/tableSql.ts';

const longest = 63;
const ownColumns = ['tableoid', 'ctid', 'xmin', 'cmin', 'xmax', 'cmax']; // every table of PostgreSQL has them

/** The names of columns as PostgreSQL can have them. */
export function postgresNames(headers: readonly string[]): readonly string[] {
  return uniqueNames(headers, ownColumns).map(shortName);
}

/** PostgreSQL would cut a longer name off, and two of them could become one. */
export function shortName(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  const digest = shortDigest(name);
  let short = name;
  while (Buffer.byteLength(short) > longest - digest.length - 1) short = Array.from(short).slice(0, -1).join('');
  return `${short}_${digest}`;
}

export function shortDigest(text: string): string {
  return sha256().update(text).digest('hex').slice(0, 8);
}
