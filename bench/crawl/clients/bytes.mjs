// Moves the bytes and reads nothing: what HTTP alone costs. It knows beforehand what there is to ask for.
import { Pool } from 'undici';

export default async function bytes({ url, searches, concurrency }) {
  const pool = new Pool(url, { connections: concurrency });
  const headers = { 'x-api-key': 'key' };
  const work = [];
  for (let search = 0; search < searches; search += 1) {
    for (let page = 0; page < 100; page += 20) {
      work.push(`/api/v1/engine/maps/search?query=coffee%20${search}&page=${page}`);
      for (let place = 0; place < 20; place += 1) {
        const id = encodeURIComponent(`0x${1_000_000 + search * 1000 + page + place}`);
        for (let n = 0; n < 3; n += 1)
          work.push(`/api/v1/engine/maps/reviews?data_id=${id}%3A${id}${n ? `&next_page_token=token-${n}` : ''}`);
      }
    }
  }
  let pages = 0;
  const worker = async () => {
    for (let path = work.pop(); path !== undefined; path = work.pop()) {
      const { body } = await pool.request({ method: 'GET', path, headers });
      await body.arrayBuffer();
      pages += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await pool.close();
  return { pages, rows: 0 };
}
