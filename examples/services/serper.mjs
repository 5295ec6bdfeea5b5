// Serper: search results of Google by POST.
import { defineOperation, defineService } from 'trawler';

const params = {
  q: { type: 'string', required: true, about: 'what to search for' },
  gl: { type: 'string', about: 'country, such as "us"' },
  hl: { type: 'string', about: 'language, such as "en"' },
};
const body = { page: '${page:1}' };

export default defineService({
  name: 'serper',
  headers: { 'x-api-key': '${key}' },
  envelope: { message: 'message' },
  operations: {
    search: defineOperation({
      post: '/search',
      about: 'Web pages.',
      params,
      response: { organic: [{ title: 'string', link: 'string', 'snippet?': 'string', position: 'integer' }] },
      rows: 'organic',
      body,
    }),
    places: defineOperation({
      post: '/places',
      about: 'Places near a location.',
      params: { ...params, location: { type: 'string', about: 'such as "Berlin, Germany"' } },
      response: { places: [{ title: 'string', 'address?': 'string', cid: 'string' }] },
      rows: 'places',
      id: 'cid',
      body,
    }),
  },
});
