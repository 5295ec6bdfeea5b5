import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { runInProcess } from '../runInProcess.ts';

describe('trawler check', () => {
  let sandbox: Sandbox;
  let folder: string;
  const check = async (flow: object, key: string) => {
    const path = join(folder, 'flow.json');
    await writeFile(path, JSON.stringify(flow));
    return runInProcess(['check', path], { env: { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: key } });
  };
  const good = { name: 'coffee', stages: { places: { call: 'webSearch', with: { query: 'coffee' } } } };

  beforeAll(async () => {
    sandbox = await startSandbox();
    folder = await mkdtemp(join(tmpdir(), 'trawler-check-'));
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });

  it('says that the flow is right and that the key works, for one request', async () => {
    const before = sandbox.requests.length;
    const { code, stdout } = await check(good, sandbox.apiKey);
    expect(stdout).toBe('coffee: nothing is wrong with its stage.\nThe key works: autocomplete responded.\n');
    expect(code).toBe(0);
    expect(sandbox.requests.length - before).toBe(1);
  });

  it('names the faults of a flow, and sends nothing', async () => {
    const before = sandbox.requests.length;
    const { code, stderr } = await check({ ...good, stages: { places: { call: 'webSerch', with: {} } } }, sandbox.apiKey);
    expect(stderr).toContain("did you mean 'webSearch'?");
    expect([code, sandbox.requests.length - before]).toEqual([2, 0]);
  });

  it('says that a key is refused', async () => {
    const { code, stderr } = await check(good, 'wrong');
    expect(stderr).toContain('401');
    expect(code).toBe(2);
  });

  it('names the address, and how to set it, if nothing listens there', async () => {
    const flow = join(folder, 'vendor.json');
    await writeFile(flow, JSON.stringify({ ...good, service: 'serpapi' }));
    const env = { SERPAPI_API_KEY: 'k', SERPAPI_BASE_URL: 'http://127.0.0.1:1' };
    const { code, stderr } = await runInProcess(['check', flow], { env });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /account: the connection failed: connect ECONNREFUSED 127.0.0.1:1, 5 times; is --base-url \(or SERPAPI_BASE_URL\) right\?/,
    );
    expect(code).toBe(1);
  });

  it('says that a service names no request for it', async () => {
    await writeFile(
      join(folder, 'service.mjs'),
      `import { defineOperation, defineService } from 'trawler';
export default defineService({ name: 'books', operations: { list: defineOperation({ get: '/b', params: {}, response: { rows: [{ id: 'string' }] }, rows: 'rows' }) } });`.replace(
        "'trawler'",
        JSON.stringify(`${inject('dist')}/bundle/index.js`),
      ),
    );
    const { code, stdout } = await check({ name: 'books', service: './service.mjs', stages: { books: { call: 'list' } } }, 'any');
    expect(stdout).toContain('The service books names no request that shows whether the key works (account), so none was sent.');
    expect(code).toBe(0);
  });
});
