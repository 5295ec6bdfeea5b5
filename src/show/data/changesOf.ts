import type { ChangedRows } from '../api.ts';

const mostRows = 200;

interface ChangeLine {
  readonly change?: string;
  readonly fields?: readonly string[];
  readonly was?: object;
  readonly row?: object;
}

/**
 * Reads the changes of an update from the lines of its file. Returns the first 200 rows of a kind. `without`: fields to ignore. A row in
 * which nothing else changed is left out.
 */
export async function changesOf(lines: AsyncIterable<object>, kind: string, without: ReadonlySet<string>): Promise<ChangedRows> {
  const counts = { new: 0, changed: 0, gone: 0 };
  const fields = new Map<string, number>();
  const rows: ChangedRows['rows'][number][] = [];
  let n = -1;
  let left = 0;
  for await (const line of lines as AsyncIterable<ChangeLine>) {
    n += 1;
    const { change = '', was = {}, row = {} } = line;
    if (!Object.hasOwn(counts, change)) continue;
    counts[change as keyof typeof counts] += 1;
    const all = Array.isArray(line.fields) ? line.fields : [];
    if (change === 'changed') for (const name of all) fields.set(name, (fields.get(name) ?? 0) + 1);
    if (change !== kind) continue;
    const shown = all.filter((name) => !without.has(name));
    if (change === 'changed' && shown.length === 0) left += 1;
    else if (rows.length < mostRows) rows.push({ n, row, was, fields: shown });
  }
  const byCount = [...fields].toSorted(([, one], [, other]) => other - one).map(([name, count]) => ({ name, count }));
  return { counts, fields: byCount, rows, leftOut: left };
}
