import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstValueFrom, mergeMap, range, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nginxLimits } from '../../../bench/rate/nginx/limits.mjs';
import { startNginx, type Nginx } from '../../../bench/rate/nginx/startNginx.mjs';
import { createClient } from '../../../src/createClient.ts';
import { envelope } from '../startServer.ts';

const there = spawnSync('nginx', ['-v']).error === undefined;
if (!there) console.log('skipped: the tests with a real nginx, for there is no nginx here (apt-get install nginx-light)');

describe.skipIf(!there)('LearntPace with a real nginx', () => {
  let backend: Server;
  let nginx: Nginx;

  beforeAll(async () => {
    backend = createServer((_, response) =>
      setTimeout(() => response.setHeader('content-type', 'application/json').end(envelope({ suggestions: [] })), 100),
    );
    await new Promise<void>((done) => backend.listen(0, '127.0.0.1', done));
    nginx = await startNginx({ limits: nginxLimits, backend: `http://127.0.0.1:${(backend.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    await nginx.close();
    backend.closeAllConnections();
    await new Promise((done) => backend.close(done));
  });

  // Whatever the machine does, no query is lost, and nginx doesn't refuse much more than it lets pass at first.
  it.concurrent.each(nginxLimits.filter(({ name }) => name !== 'free').map(({ name, rules }) => [rules, name]))(
    'loses nothing, and asks little in vain: %s',
    async (_rules, name) => {
      await using client = createClient({ baseUrl: nginx.url, apiKey: 'k', pathPrefix: `/${name}`, concurrency: 16, timeoutMs: 60_000 });
      const pages = range(60).pipe(
        mergeMap((n) => client.autocomplete({ query: `q${n}` })),
        toArray(),
      );
      expect(await firstValueFrom(pages)).toHaveLength(60);
      expect(client.stats().requests).toBeLessThan(60 * 1.5);
    },
  );
});
