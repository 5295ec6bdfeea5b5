// GitHub's REST API: issues and repositories by words, and the issues of one repository.
import { defineOperation, defineService } from 'trawler';

const pages = {
  per_page: { type: 'integer', min: 1, max: 100, about: 'rows of a page' },
};
const words = { q: { type: 'string', required: true, about: 'words and qualifiers, such as "rate limit is:open"' }, ...pages };
const found = (row) => ({ total_count: 'integer', incomplete_results: 'boolean', items: [row] });
const issue = { id: 'integer', number: 'integer', title: 'string', state: 'string', html_url: 'string', created_at: 'string' };
const search = (path, about, row) =>
  defineOperation({ get: path, about, group: 'search', params: words, response: found(row), rows: 'items', id: 'id', next: 'header:link' });

export default defineService({
  name: 'github',
  headers: { authorization: 'Bearer ${key}', accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  envelope: { message: 'message' },
  limits: { search: { requests: 30, perMs: 60_000 } },
  operations: {
    searchIssues: search('/search/issues', 'Issues and pull requests by words.', issue),
    searchRepositories: search('/search/repositories', 'Repositories by words.', { id: 'integer', full_name: 'string' }),
    issues: defineOperation({
      get: '/repos/${owner}/${repo}/issues',
      about: 'Issues and pull requests of a repository.',
      params: { owner: { type: 'string', required: true }, repo: { type: 'string', required: true }, ...pages },
      response: [issue],
      rows: '',
      id: 'id',
      next: 'header:link',
    }),
  },
});
