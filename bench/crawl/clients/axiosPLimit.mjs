import http from 'node:http';
import axios from 'axios';
import pLimit from 'p-limit';
import { openFile } from '../openFile.mjs';
import { headers, walkAll } from './shared.mjs';

export default async function axiosPLimit({ url, searches, concurrency, out, format, diskMbPerSecond }) {
  const file = openFile(out, format, diskMbPerSecond);
  const client = axios.create({ headers, httpAgent: new http.Agent({ keepAlive: true, maxSockets: concurrency }), proxy: false });
  const get = async (address) => (await client.get(address)).data;
  const counts = await walkAll({ get, url, searches, limit: pLimit(concurrency), write: file.write });
  await file.close();
  return counts;
}
