import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { cells, columns, rowAt } from '../rows.mjs';

export default async function csvStringify({ rows, out }) {
  const sink = stringify({ header: true, columns });
  const file = sink.pipe(createWriteStream(out));
  for (let i = 0; i < rows; i += 1) {
    if (!sink.write(cells(rowAt(i)))) await once(sink, 'drain');
  }
  sink.end();
  await finished(file);
  return rows;
}
