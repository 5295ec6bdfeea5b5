import { execFileSync, spawnSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { openStore } from '../../src/store/index.ts';
import { requestOf, responseOf } from './requests.ts';

const python = spawnSync('python3', ['--version']).status === 0;
if (!python) console.log('skipped: python3 is not there, the second reader of segments; install it with apt-get install python3');

const at = Date.UTC(2026, 0, 31, 12, 30, 15, 123);
const ids = Array.from({ length: 12 }, (_, id) => id);
const bodyOf = (id: number): string => {
  const { body, headers } = response(id);
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
};
/** Compressed, plain, and larger than a block of 64 KiB. */
const response = (id: number): ReturnType<typeof responseOf> =>
  responseOf(id, id === 11 ? 100_000 : 50, id % 3 === 0 ? 'identity' : 'gzip');

describe('segments', () => {
  let folder: string;
  let segments: string[];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'store-'));
    await using store = openStore(folder, { segmentBytes: 2000, now: () => at });
    for (const id of ids) store.keep(requestOf(id), response(id));
    await store.close();
    segments = readdirSync(folder).filter((file) => file.endsWith('.warc.gz'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are read by warcio, with all bodies as they came', async () => {
    expect(segments.length).toBeGreaterThan(2);
    const found: unknown[] = [];
    for (const segment of segments) {
      for await (const record of new WARCParser(createReadStream(join(folder, segment)))) {
        const { warcType, warcTargetURI, warcDate } = record;
        const text = await record.contentText();
        if (warcType === 'response') found.push([warcTargetURI, warcDate, record.httpHeaders?.statusCode, text]);
        else if (warcType !== 'warcinfo') found.push(warcType);
      }
    }
    const date = new Date(at).toISOString();
    expect(found).toEqual(ids.map((id) => [requestOf(id).url, date, 200, bodyOf(id)]));
  });

  it.skipIf(!python)("are read by Python's own library, and all digests match", () => {
    const reader = fileURLToPath(new URL('readWarc.py', import.meta.url));
    const lines = execFileSync('python3', [reader, ...segments.map((segment) => join(folder, segment))], { encoding: 'utf8' });
    const records = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; url: string; id: string; status?: number; body?: string });
    const of = (type: string): typeof records => records.filter((record) => record.type === type);
    expect(of('warcinfo')).toHaveLength(segments.length);
    expect(of('response').map(({ url, status, body }) => [url, status, body])).toEqual(
      ids.map((id) => [requestOf(id).url, 200, bodyOf(id)]),
    );
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  });

  it('pass the check of gzip', () => {
    expect(spawnSync('gzip', ['-t', ...segments.map((segment) => join(folder, segment))])).toMatchObject({ status: 0 });
  });
});
