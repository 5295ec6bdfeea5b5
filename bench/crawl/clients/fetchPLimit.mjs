import pLimit from 'p-limit';
import { openFile } from '../openFile.mjs';
import { headers, walkAll } from './shared.mjs';

export default async function fetchPLimit({ url, searches, concurrency, out, format, diskMbPerSecond }) {
  const file = openFile(out, format, diskMbPerSecond);
  const get = async (address) => (await fetch(address, { headers })).json();
  const counts = await walkAll({ get, url, searches, limit: pLimit(concurrency), write: file.write });
  await file.close();
  return counts;
}
