import PQueue from 'p-queue';
import { openFile } from '../openFile.mjs';
import { headers, walkAll } from './shared.mjs';

export default async function fetchPQueue({ url, searches, concurrency, out, format, diskMbPerSecond }) {
  const file = openFile(out, format, diskMbPerSecond);
  const queue = new PQueue({ concurrency });
  const get = async (address) => (await fetch(address, { headers })).json();
  const counts = await walkAll({ get, url, searches, limit: (work) => queue.add(work), write: file.write });
  await file.close();
  return counts;
}
