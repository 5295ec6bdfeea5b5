import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { startServer } from '../../client/startServer.ts';

export const apiKey = 'k3y-of-the-agent';

/** A service that counts the requests of each flow, and its description in a file. Queries are `FLOW-N`. */
export async function countedService(folder: string, rowsOf: (q: string) => readonly object[] = (q) => [{ id: q }]) {
  const counts = new Map<string, number>();
  const server = await startServer((request, response) => {
    const q = new URL(request.url!, 'http://localhost').searchParams.get('q') ?? '';
    const flow = q.replace(/-\d+$/, '');
    counts.set(flow, (counts.get(flow) ?? 0) + 1);
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end(JSON.stringify({ rows: rowsOf(q) })), Math.random() * 20);
  });
  const service = join(folder, 'counted.mjs');
  await writeFile(
    service,
    `import { defineOperation, defineService } from ${JSON.stringify(pathToFileURL(join(inject('dist'), 'bundle/index.js')).href)};
    const rows = defineOperation({ get: '/rows', params: { q: { type: 'string' } }, response: { rows: [{ id: 'string', text: 'string' }] }, rows: 'rows' });
    export default defineService({ name: 'counted', headers: { 'x-key': '\${key}' }, price: { default: 0.5 }, operations: { rows } });`,
  );
  const env = { TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: apiKey };
  const total = (): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    counts,
    total,
    service,
    env,
    options: ['--service', service, '--rate', 'unlimited'],
    close: () => server[Symbol.asyncDispose](),
  };
}

/** A flow of so many queries, each one request. */
export function flowOf(name: string, queries: number) {
  const q = Array.from({ length: queries }, (_, n) => `${name}-${n}`);
  return { name, stages: { found: { call: 'rows', with: { q }, to: 'rows.jsonl' } } };
}
