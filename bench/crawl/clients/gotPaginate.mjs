import http from 'node:http';
import got from 'got';
import pLimit from 'p-limit';
import { openFile } from '../openFile.mjs';
import { headers } from './shared.mjs';

export default async function gotPaginate({ url, searches, concurrency, out, format, diskMbPerSecond }) {
  const file = openFile(out, format, diskMbPerSecond);
  const client = got.extend({
    prefixUrl: `${url}/api/v1/engine`,
    headers,
    responseType: 'json',
    agent: { http: new http.Agent({ keepAlive: true, maxSockets: concurrency }) },
  });
  const limit = pLimit(concurrency);
  let pages = 0;
  let rows = 0;
  const reviews = async (id) => {
    const walk = client.paginate('maps/reviews', {
      searchParams: { data_id: id },
      pagination: {
        transform: ({ body }) => {
          pages += 1;
          return body.data.reviews_results;
        },
        paginate: ({ response }) => {
          const token = response.body.data.next_page_token;
          return token ? { searchParams: { data_id: id, next_page_token: token } } : false;
        },
      },
    });
    for await (const row of walk) {
      rows += 1;
      await file.write(row);
    }
  };
  const search = async (query) => {
    const children = [];
    const walk = client.paginate('maps/search', {
      searchParams: { query, page: 0 },
      pagination: {
        transform: ({ body }) => {
          pages += 1;
          return body.data.search_results;
        },
        paginate: ({ response }) => {
          const page = Number(response.request.options.searchParams.get('page')) + 20;
          return page < 100 ? { searchParams: { query, page } } : false;
        },
      },
    });
    for await (const place of walk) children.push(limit(() => reviews(place.data_id)));
    await Promise.all(children);
  };
  await Promise.all(Array.from({ length: searches }, (_, i) => search(`coffee ${i}`)));
  await file.close();
  return { pages, rows };
}
