import { generate, lastValueFrom } from 'rxjs';
import { toCsv, toJsonl, toParquet } from 'trawler/sinks';
import { columns, rowAt } from '../rows.mjs';

/** From an endless-looking synchronous source: the hardest case, for nothing in it waits by itself. */
export default async function trawler({ rows, out, format }) {
  const source = generate({ initialState: 0, condition: (i) => i < rows, iterate: (i) => i + 1, resultSelector: rowAt });
  const sink = format.startsWith('csv') ? toCsv(out, { columns }) : format === 'parquet' ? toParquet(out, { columns }) : toJsonl(out);
  return (await lastValueFrom(source.pipe(sink))).rows;
}
