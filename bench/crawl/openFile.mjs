import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { format as csv } from 'fast-csv';
import { slowStream } from './slowDisk.mjs';
import { flatten } from './flatten.mjs';

/** How the peers write: a stream with its back-pressure minded, and fast-csv for CSV. */
export function openFile(path, format, diskMbPerSecond) {
  const plain = createWriteStream(path);
  const file = diskMbPerSecond === undefined ? plain : slowStream(plain, diskMbPerSecond);
  const out = format === 'csv' ? csv({ headers: true }) : file;
  out.setMaxListeners(0); // every row that waits listens for 'drain'
  if (format === 'csv') out.pipe(file);
  return {
    async write(row) {
      if (!out.write(format === 'csv' ? flatten(row) : `${JSON.stringify(row)}\n`)) await once(out, 'drain');
    },
    async close() {
      out.end();
      await finished(file);
    },
  };
}
