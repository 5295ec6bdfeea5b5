import type { ChangedRows } from '../api.ts';

const mostRows = 200;

/** The fields of a line beside the row. */
export const changedColumns: readonly string[] = ['change', 'fields', 'was'];
/** Those in a series, whose numbers rise and fall. */
export const movedColumns: readonly string[] = [...changedColumns, 'field', 'is'];

interface ChangeLine {
  readonly change?: string;
  readonly fields?: readonly string[];
  readonly was?: unknown;
  readonly row?: object;
  /** The number of a series that rose or fell: `was` and `is` are numbers then. */
  readonly field?: string;
  readonly is?: unknown;
}

/** What changed in a row of a file of changes: the fields, with their values before and after. */
export function changedFields({
  field,
  fields,
  was,
  is,
  row = {},
}: ChangeLine): Pick<ChangedRows['rows'][number], 'row' | 'was' | 'fields'> {
  if (typeof field === 'string') return { row: { ...row, [field]: is }, was: { [field]: was }, fields: [field] };
  return { row, was: typeof was === 'object' && was !== null ? was : {}, fields: Array.isArray(fields) ? fields : [] };
}

/**
 * Reads the changes of an update from the lines of its file. Returns the first 200 rows of a kind. `without`: fields to ignore. A row in
 * which nothing else changed is left out.
 */
export async function changesOf(lines: AsyncIterable<object>, kind: string, without: ReadonlySet<string>): Promise<ChangedRows> {
  const counts = { new: 0, changed: 0, gone: 0, rose: 0, fell: 0 };
  const fields = new Map<string, number>();
  const rows: ChangedRows['rows'][number][] = [];
  let n = -1;
  let left = 0;
  for await (const line of lines as AsyncIterable<ChangeLine>) {
    n += 1;
    const { change = '' } = line;
    if (!Object.hasOwn(counts, change)) continue;
    counts[change as keyof typeof counts] += 1;
    if (change !== kind) continue;
    const { row, was, fields: all } = changedFields(line);
    for (const name of all) fields.set(name, (fields.get(name) ?? 0) + 1);
    const shown = all.filter((name) => !without.has(name));
    if (shown.length < all.length && shown.length === 0) left += 1;
    else if (rows.length < mostRows) rows.push({ n, row, was, fields: shown });
  }
  const byCount = [...fields].toSorted(([, one], [, other]) => other - one).map(([name, count]) => ({ name, count }));
  return { counts, fields: byCount, rows, leftOut: left };
}
