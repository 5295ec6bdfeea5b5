import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { rowAt } from '../rows.mjs';

/** One stream write a row, back-pressure minded. */
export default async function stream({ rows, out, format }) {
  const file = createWriteStream(out);
  const sink = format === 'jsonl.gz' ? createGzip() : file;
  if (sink !== file) sink.pipe(file);
  for (let i = 0; i < rows; i += 1) {
    if (!sink.write(`${JSON.stringify(rowAt(i))}\n`)) await once(sink, 'drain');
  }
  sink.end();
  await finished(file);
  return rows;
}
