import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../../src/contract/index.ts';
import { findService, vendorNames } from '../../src/services/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { bodyOf, startServer } from '../client/startServer.ts';
import { atOnce, type StandIn } from './standIn.ts';
import { starters } from './starters.ts';

/** How a key may be written. */
const forms = (key: string): readonly string[] => [key, encodeURIComponent(key), Buffer.from(key).toString('base64')];
const variable = (name: string): string => name.toUpperCase();

describe('the keys of vendors', () => {
  let folder: string;
  let standIns: ReadonlyMap<string, StandIn>;
  const keys = (): readonly (readonly [string, string])[] => [...standIns].map(([name, { key }]) => [name, key] as const);
  const nextTo = (vendor: string): string => vendorNames[(vendorNames.indexOf(vendor) + 1) % vendorNames.length]!;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-keys-'));
    standIns = new Map(await Promise.all(vendorNames.map(async (name) => [name, await starters[name]!()] as const)));
  });
  afterAll(async () => {
    for (const standIn of standIns.values()) await standIn.close();
    await rm(folder, { recursive: true });
  });

  /** Runs a search of some vendors, with the keys of all in the environment. `at`: other addresses. Gives all that it has said and written. */
  async function searched(
    services: readonly string[],
    at: { readonly [name: string]: string } = {},
    wrong: { readonly [name: string]: string } = {},
  ) {
    const own = await mkdtemp(join(folder, 'run-'));
    const path = join(own, 'flow.json');
    const rows = { call: 'webSearch', with: { query: 'tea' }, pages: 2, to: 'rows.jsonl' };
    await writeFile(path, JSON.stringify({ name: 'keys', service: services, stages: { rows } }));
    const env = Object.fromEntries([...standIns].flatMap(([name, { key, url }]) => [
      [`${variable(name)}_API_KEY`, wrong[name] ?? key], [`${variable(name)}_BASE_URL`, at[name] ?? url],
    ])); // prettier-ignore
    for (const standIn of standIns.values()) standIn.requests.splice(0);
    const { code, stdout, stderr } = await runInProcess(['run', path, '--out', join(own, 'out'), '--max-requests', '20'], { env });
    const files = (await readdir(own, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
    const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
    expect(texts.length).toBeGreaterThan(0);
    return { code, stderr, said: [stdout, stderr, ...texts].join('\n') };
  }

  function expectNoKeys(said: string, more: readonly string[] = []): void {
    const shown = [...keys().map(([, key]) => key), ...more].filter((key) => forms(key).some((form) => said.includes(form)));
    expect(shown).toEqual([]);
  }

  /** Each request of a vendor has its key, and no other one's. */
  function expectOwnKeys(asked: readonly string[], wrong: { readonly [name: string]: string } = {}): void {
    for (const [name, { requests }] of standIns) {
      expect([name, requests.length > 0]).toEqual([name, asked.includes(name)]);
      for (const { path, query, headers, body } of requests) {
        const text = JSON.stringify([path, query, headers, body]);
        const held = keys().filter(([, key]) => forms(key).some((form) => text.includes(form)));
        expect(held.map(([other]) => other)).toEqual(wrong[name] === undefined ? [name] : []);
      }
    }
  }

  /** An address in front of a vendor, which may send its callers elsewhere. */
  async function gate(vendor: string, elsewhere: string, redirects: boolean) {
    const { url } = standIns.get(vendor)!;
    const { origin } = addressOf(await findService(vendor));
    return startServer((request, response) => {
      void (async () => {
        const body = await bodyOf(request);
        if (redirects) {
          response.writeHead(307, { location: elsewhere + request.url! }).end();
          return;
        }
        const { host: _, connection: __, 'content-length': ___, 'accept-encoding': ____, ...headers } = request.headers;
        const answer = await fetch(url + request.url!, { method: request.method!, headers: headers as never, ...(body !== '' && { body }) });
        const text = (await answer.text()).replaceAll(url, elsewhere).replaceAll(origin!, elsewhere);
        const leads = { location: `${elsewhere}/later`, link: `<${elsewhere}/next>; rel="next"` };
        const soon = answer.headers.has('retry-after') ? atOnce : {};
        response.writeHead(answer.status, { 'content-type': 'application/json', ...leads, ...soon });
        response.end(text);
      })();
    }); // prettier-ignore
  }

  describe.each(vendorNames)('%s', (vendor) => {
    it('are each in their own place only, and in nothing that is written or said', { timeout: 60_000 }, async () => {
      const { code, stderr, said } = await searched([vendor]);
      expect([stderr, code]).toEqual([expect.any(String), 0]);
      expectOwnKeys([vendor]);
      expectNoKeys(said);
    });

    it.each([['addresses', false], ['redirects', true]] as const)('do not follow %s to another vendor', { timeout: 60_000 }, async (_, redirects) => {
      const elsewhere = standIns.get(nextTo(vendor))!;
      await using between = await gate(vendor, elsewhere.url, redirects);
      const { code, said } = await searched([vendor], { [vendor]: between.url });
        expect(redirects && code === 0).toBe(false);
      expectOwnKeys(redirects ? [] : [vendor]);
      expectNoKeys(said);
    }); // prettier-ignore

    it('stay where they are when another vendor goes on', { timeout: 60_000 }, async () => {
      const other = nextTo(vendor);
      const wrong = { [vendor]: 'a-wrong:k3y-of-somebody' };
      const { code, stderr, said } = await searched([vendor, other], {}, wrong);
      expect([stderr, code]).toEqual([expect.any(String), 0]);
      expectOwnKeys([vendor, other], wrong);
      expectNoKeys(said, Object.values(wrong));
    });
  });
});
