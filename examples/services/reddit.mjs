// Reddit: posts of a community, and posts by words. The key is `id:secret` of an app.
import { defineOperation, defineService } from 'trawler';

const row = { id: 'string', title: 'string', author: 'string', created_utc: 'number', permalink: 'string' };
const listing = (path, about, params) =>
  defineOperation({
    get: path,
    about,
    params: { ...params, limit: { type: 'integer', min: 1, max: 100, about: 'rows of a page' } },
    rows: 'data.children[].data',
    row,
    id: 'id',
    query: { after: '${cursor}' },
    next: 'data.after',
  });
const subreddit = { type: 'string', required: true, about: 'such as "typescript"' };

export default defineService({
  name: 'reddit',
  headers: { authorization: 'Bearer ${token}', 'user-agent': 'node:my-crawl:1.0 (by /u/me)' }, // Reddit throttles common names
  token: {
    post: 'https://www.reddit.com/api/v1/access_token', // the key is id:secret of the application
    headers: { authorization: 'Basic ${basic}' },
    form: { grant_type: 'client_credentials' },
    at: 'access_token',
    expires: 'expires_in',
  },
  query: { raw_json: 1 },
  envelope: { message: 'message' },
  operations: {
    posts: listing('/r/${subreddit}/new', 'Posts of a community, newest first.', { subreddit }),
    search: listing('/search', 'Posts by words.', { q: { type: 'string', required: true }, sort: { type: 'string' } }),
  },
});
