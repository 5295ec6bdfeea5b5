// Loads rows.jsonl into a table as a flow does: ranges of the file, each with its position. Prints how long it took, and its peak memory.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { postgresDestination } from '../../dist/bundle/sinks.js';

const rangeBytes = 4 << 20;
const { path, table: name, columns, key } = JSON.parse(process.argv[2]);
const extra = { header: '_extra', keys: [], type: 'json' };
const target = {
  name,
  columns: [...columns, extra],
  key,
  mode: 'merge',
  flow: 'bench',
  run: `${name} ${Date.now()}`,
  stage: 'bench',
  file: path,
};
const from = performance.now();
const session = await postgresDestination().open(target);
await session.recover();
const file = openSync(path, 'r');
const { size } = statSync(path);
const hash = createHash('sha256');
for (let at = 0; at < size;) {
  const bytes = Buffer.allocUnsafe(Math.min(rangeBytes, size - at));
  readSync(file, bytes, 0, bytes.length, at);
  const whole = bytes.lastIndexOf(10) + 1;
  hash.update(bytes.subarray(0, whole));
  const result = await session.load(bytes.toString('utf8', 0, whole - 1).split('\n'));
  if (result.rejected?.length !== 0) throw new Error(JSON.stringify(result).slice(0, 500));
  await session.commit({ bytes: (at += whole), digest: hash.copy().digest('hex') });
}
closeSync(file);
await session.close();
console.log(JSON.stringify({ ms: performance.now() - from, peakMB: Math.round(process.resourceUsage().maxRSS / 1024) }));
