// The floor: a loop written by hand for this one job. It parses, checks nothing, retries nothing and writes big chunks.
import { open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { Pool } from 'undici';
import { slowFile } from '../slowDisk.mjs';

const columns = ['link', 'rating', 'likes', 'date', 'iso_date', 'iso_date_of_last_edit', 'images', 'source', 'review_id', 'snippet'];
const userColumns = ['name', 'link', 'contributor_id', 'thumbnail', 'local_guide', 'reviews', 'photos'];
const detailColumns = ['price_per_person', 'meal_type', 'noise_level', 'group_size', 'wait_time', 'food', 'service', 'atmosphere'];
const responseColumns = ['iso_date', 'iso_date_of_last_edit', 'date', 'response_from_owner_string'];
const cell = (value) => {
  if (value === undefined || value === null) return '""';
  if (typeof value === 'string') return value.includes('"') ? `"${value.replaceAll('"', '""')}"` : `"${value}"`;
  return typeof value === 'object' ? `"${JSON.stringify(value).replaceAll('"', '""')}"` : `"${value}"`;
};
const line = (row) => {
  let out = '';
  for (const column of columns) out += `${cell(row[column])},`;
  for (const column of userColumns) out += `${cell(row.user?.[column])},`;
  for (const column of detailColumns) out += `${cell(row.details?.[column])},`;
  for (const column of responseColumns) out += `${cell(row.response?.[column])},`;
  return `${out.slice(0, -1)}\n`;
};

export default async function floor({ url, searches, concurrency, out, format, diskMbPerSecond }) {
  const pool = new Pool(url, { connections: concurrency });
  const opened = await open(out, 'w');
  const file = diskMbPerSecond === undefined ? opened : slowFile(opened, diskMbPerSecond);
  const encode = format === 'csv' ? line : (row) => `${JSON.stringify(row)}\n`;
  const headers = { 'x-api-key': 'key' };
  const work = Array.from({ length: searches }, (_, i) => ({ kind: 'search', query: `coffee ${i}`, page: 0 }));
  let pages = 0;
  let rows = 0;
  let text = '';
  let position = 0;
  let writing;
  const flush = () => {
    const chunk = Buffer.from(text);
    text = '';
    const at = position;
    position += chunk.length;
    return file.write(chunk, 0, chunk.length, at);
  };
  let busy = 0;
  let idle = [];
  const wake = () => {
    for (const resolve of idle) resolve();
    idle = [];
  };
  const next = async () => {
    while (work.length === 0 && busy > 0) await new Promise((resolve) => idle.push(resolve));
    return work.pop();
  };
  const worker = async () => {
    for (let job = work.pop() ?? (await next()); job !== undefined; job = work.pop() ?? (await next())) {
      busy += 1;
      const path =
        job.kind === 'search'
          ? `/api/v1/engine/maps/search?query=${encodeURIComponent(job.query)}&page=${job.page}`
          : `/api/v1/engine/maps/reviews?data_id=${encodeURIComponent(job.id)}${job.token ? `&next_page_token=${job.token}` : ''}`;
      const { body, headers: told } = await pool.request({ method: 'GET', path, headers });
      const packed = told['content-encoding'] === 'gzip';
      const { data } = JSON.parse(packed ? gunzipSync(await body.arrayBuffer()).toString() : await body.text());
      pages += 1;
      if (job.kind === 'search') {
        if (job.page < 80) work.push({ ...job, page: job.page + 20 });
        for (const place of data.search_results) work.push({ kind: 'reviews', id: place.data_id });
        wake();
      } else {
        if (data.next_page_token) work.push({ ...job, token: data.next_page_token });
        for (const row of data.reviews_results) text += encode(row);
        rows += data.reviews_results.length;
        if (text.length > 262_144) {
          await writing;
          if (text.length > 262_144) writing = flush();
        }
      }
      busy -= 1;
      if (busy === 0) wake();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await writing;
  await flush();
  await file.close();
  await pool.close();
  return { pages, rows };
}
