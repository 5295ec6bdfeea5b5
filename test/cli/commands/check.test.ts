import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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
  const list = { get: '/b', params: {}, response: { rows: [{ id: 'string' }] }, rows: 'rows' };
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

  it.each(['check', 'run'])('sends the keys of several services to no address that is given for one: %s', async (command) => {
    const before = sandbox.requests.length;
    const path = join(folder, 'several.json');
    await writeFile(path, JSON.stringify({ ...good, service: ['serper', 'serpapi'], stages: good.stages }));
    const env = { SERPER_API_KEY: 'one', SERPAPI_API_KEY: 'two' };
    const out = command === 'run' ? ['--out', join(folder, 'several')] : [];
    const { code, stderr } = await runInProcess([command, path, '--base-url', sandbox.url, ...out], { env });
    expect(stderr).toContain('--base-url is for a flow of one service; this one has serper and serpapi.');
    expect([code, sandbox.requests.length - before]).toEqual([2, 0]);
  });

  it('says that a key is refused', async () => {
    const { code, stderr } = await check(good, 'wrong');
    expect(stderr).toContain('401');
    expect(code).toBe(2);
  });

  it('finds a file of variables beside the flow that lacks a key, as a run does, also where no request would show it', async () => {
    const own = join(folder, 'own');
    await mkdir(own);
    const service = { name: 'shop', baseUrl: 'http://127.0.0.1:1', headers: { 'x-api-key': '${key}' }, operations: { list } };
    await writeFile(join(own, 'shop.json'), JSON.stringify(service));
    await writeFile(join(own, '.env'), 'OTHER=1\n');
    await writeFile(join(own, 'flow.json'), JSON.stringify({ name: 'shop', service: './shop.json', stages: { all: { call: 'list' } } }));
    const said = await Promise.all(
      [['check'], ['run', '--out', join(own, 'out')]].map(([command, ...more]) =>
        runInProcess([command!, join(own, 'flow.json'), ...more], { env: {} }),
      ),
    );
    const file = relative('', join(own, '.env'));
    for (const { code, stderr } of said)
      expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
        2,
        expect.stringContaining(`There is a file ${file}: add --env ${file} to read`),
      ]);
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
export default defineService({ name: 'books', operations: { list: defineOperation(${JSON.stringify(list)}) } });`.replace(
        "'trawler'",
        JSON.stringify(`${inject('dist')}/bundle/index.js`),
      ),
    );
    const { code, stdout } = await check({ name: 'books', service: './service.mjs', stages: { books: { call: 'list' } } }, 'any');
    expect(stdout).toContain('The service books names no request that shows whether the key works (account), so none was sent.');
    expect(code).toBe(0);
  });
});
