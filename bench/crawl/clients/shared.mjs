// The crawl as the peers' users write it: a function that gets one response, walked by awaiting.
export function walkAll({ get, url, searches, limit, write }) {
  const prefix = `${url}/api/v1/engine`;
  let pages = 0;
  let rows = 0;
  const reviews = async (id) => {
    let token;
    do {
      const response = await limit(() =>
        get(`${prefix}/maps/reviews?data_id=${encodeURIComponent(id)}${token ? `&next_page_token=${token}` : ''}`),
      );
      pages += 1;
      for (const row of response.data.reviews_results) {
        rows += 1;
        await write(row);
      }
      token = response.data.next_page_token;
    } while (token);
  };
  const search = async (query) => {
    const children = [];
    for (let page = 0; page < 100; page += 20) {
      const response = await limit(() => get(`${prefix}/maps/search?query=${encodeURIComponent(query)}&page=${page}`));
      pages += 1;
      for (const place of response.data.search_results) children.push(reviews(place.data_id));
    }
    await Promise.all(children);
  };
  return Promise.all(Array.from({ length: searches }, (_, i) => search(`coffee ${i}`))).then(() => ({ pages, rows }));
}

export const headers = { 'x-api-key': 'key' };
