// One page for each of many seeds, by hand: a file of seeds read line by line, one loop a connection, big chunks.
import { open } from 'node:fs/promises';
import { Pool } from 'undici';
import { writeSeeds } from '../writeSeeds.mjs';

export default async function seedsFloor({ url, searches, concurrency, folder, out }) {
  const seeds = await open(writeSeeds(folder, searches));
  const lines = seeds.readLines()[Symbol.asyncIterator]();
  await lines.next(); // the heading
  const pool = new Pool(url, { connections: concurrency });
  const file = await open(out, 'w');
  const headers = { 'x-api-key': 'key' };
  let pages = 0;
  let rows = 0;
  let text = '';
  let writing = Promise.resolve();
  const flush = () => {
    const chunk = text;
    text = '';
    return file.write(chunk);
  };
  const worker = async () => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const { body } = await pool.request({
        method: 'GET',
        path: `/api/v1/engine/autocomplete?query=${encodeURIComponent(line.value)}`,
        headers,
      });
      const { data } = JSON.parse(await body.text());
      pages += 1;
      rows += data.suggestions.length;
      for (const row of data.suggestions) text += `${JSON.stringify(row)}\n`;
      if (text.length > 262_144) {
        await writing;
        if (text.length > 262_144) writing = flush();
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await writing;
  await flush();
  await file.close();
  await pool.close();
  return { pages, rows };
}
