import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { format as csv } from 'fast-csv';
import { flatten } from '../../crawl/flatten.mjs';
import { rowAt } from '../rows.mjs';

/** fast-csv as its guide shows it: objects in, header from the first. */
export default async function fastCsv({ rows, out }) {
  const sink = csv({ headers: true });
  const file = sink.pipe(createWriteStream(out));
  for (let i = 0; i < rows; i += 1) {
    if (!sink.write(flatten(rowAt(i)))) await once(sink, 'drain');
  }
  sink.end();
  await finished(file);
  return rows;
}
