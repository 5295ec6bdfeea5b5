import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { afterAll, describe, expect, it } from 'vitest';
import { planFlow, runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { createClient, defineOperation, defineService } from '../../src/index.ts';
import { startServer } from '../client/startServer.ts';

// Whoever says "at most N requests" counts what the service sees.

const folder = mkdtempSync(join(tmpdir(), 'trawler-at-most-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const newPath = (): string => join(folder, String((count += 1)));

const params = { q: { type: 'string' } } as const;
const response = { rows: [{ id: 'string' }] } as const;
const plain = defineOperation({ get: '/plain', params, response, rows: 'rows' });
const worked = defineOperation({
  get: '/worked',
  params,
  response,
  rows: 'rows',
  job: { at: 'status_url', until: { at: 'status', is: ['done'] }, everyMs: 1 },
});
const service = defineService({ name: 'counted', operations: { plain, worked } });

/** A service that fails now and then, or has to be asked again for what it works on. */
async function serve() {
  const seen = { requests: 0 };
  const server = await startServer((request, response) => {
    const number = (seen.requests += 1);
    if (number % 3 === 0) {
      response.statusCode = 503;
      response.end('{}');
      return;
    }
    if (number % 7 === 0) {
      request.socket.destroy();
      return;
    }
    const isWork = request.url!.startsWith('/worked') || request.url!.startsWith('/status');
    if (isWork && number % 4 !== 0) response.end(JSON.stringify({ status: 'running', status_url: `/status/${number}` }));
    else setTimeout(() => response.end(JSON.stringify({ status: 'done', rows: [{ id: request.url }] })), 3);
  });
  return Object.assign(server, { seen });
}

const words = Array.from({ length: 80 }, (_, index) => `word${index}`);
const flowOf = (call: string, more: object = {}): FlowDefinition => ({
  name: 'many',
  service,
  stages: { rows: { call, with: { q: words } } },
  ...more,
});

describe.each(['plain', 'worked'] as const)('no more requests than were allowed are sent, retries and polls included: %s', (call) => {
  describe.each([
    ['without a ledger', false],
    ['with a ledger', true],
  ] as const)('%s', (_, hasLedger) => {
    const open = (baseUrl: string, more: object = {}) =>
      createClient({
        service,
        baseUrl,
        rate: 'unlimited',
        concurrency: 16,
        retry: { baseMs: 1, capMs: 2, maxAttempts: 9 },
        ledger: hasLedger ? newPath() : false,
        ...more,
      });
    const run = (client: ReturnType<typeof open>, flow: FlowDefinition, more: object = {}) =>
      lastValueFrom(runFlow(flow, { client, outDir: newPath(), ...more }));

    it.each([1, 5, 40])('maxRequests of a flow: %i', async (most) => {
      await using server = await serve();
      await using client = open(server.url);
      await run(client, flowOf(call, { maxRequests: most }));
      expect(server.seen.requests).toBe(most);
    });

    it('maxRequests of a run', async () => {
      await using server = await serve();
      await using client = open(server.url);
      await run(client, flowOf(call), { maxRequests: 23 });
      expect(server.seen.requests).toBe(23);
    });

    it('a quote', async () => {
      await using server = await serve();
      await using client = open(server.url);
      const { quote } = await planFlow(flowOf(call));
      await run(client, flowOf(call), { quote: { ...quote, most: 31 } });
      expect(server.seen.requests).toBe(31);
    });

    it('maxRequests of a client', async () => {
      await using server = await serve();
      await using client = open(server.url, { maxRequests: 17 });
      await Promise.all(words.map((q) => firstValueFrom((client[call] as typeof client.plain)({ q })).catch(() => undefined)));
      expect(server.seen.requests).toBe(17);
    });
  });
});
