import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type StoreOptions, type StoreRequest } from '../../src/store/index.ts';
import { requestOf, responseOf } from './requests.ts';
import { ofTheDay } from '../ofTheDay.ts';

let folder: string;
beforeEach(() => void (folder = join(mkdtempSync(join(tmpdir(), 'store-')), 'responses')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

type Store = ReturnType<typeof openStore>;
const record = async (ids: readonly number[], options: StoreOptions = {}, encoding?: 'identity' | 'gzip'): Promise<void> => {
  await using store = openStore(folder, options);
  for (const id of ids) store.keep(requestOf(id), responseOf(id, 100, encoding));
};
const flip = (file: string, at: number): void => {
  // In place: a file that is cut and written anew is flushed.
  const open = openSync(join(folder, file), 'r+');
  const byte = Buffer.alloc(1);
  readSync(open, byte, 0, 1, at);
  byte[0]! ^= 1;
  writeSync(open, byte, 0, 1, at);
  closeSync(open);
};
const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

describe('openStore', () => {
  it.each(['gzip', 'identity'] as const)('gives back a response as it came (%s)', async (encoding) => {
    const response = responseOf(1, 40_000, encoding);
    // Number by number, a comparison of the bodies takes most of the time.
    const body: unknown = expect.toSatisfy((found: Buffer) => found.equals(response.body));
    const hit = { kind: 'hit', response: { ...response, body }, at: 1_700_000_000_123, url: requestOf(1).url };
    {
      await using store = openStore(folder, { now: () => 1_700_000_000_123 });
      store.keep(requestOf(1), response);
      expect(store.find(requestOf(1))).toEqual(hit);
      await store.sync();
      expect(store.find(requestOf(1))).toEqual(hit);
    }
    await using store = openStore(folder);
    expect(store.find(requestOf(1))).toEqual(hit);
    expect(store.find(requestOf(2))).toEqual({ kind: 'miss' });
    expect(store.find(requestOf(1, 'other'))).toEqual({ kind: 'miss' });
    expect(store.find({ ...requestOf(1), service: 'other' })).toEqual({ kind: 'miss' });
  });

  it('makes no folder and no file until something is stored', async () => {
    await openStore(folder).close();
    expect(readdirSync(join(folder, '..'))).toEqual([]);
  });

  it.each([
    ['a sync', (store: Store) => Promise.all([store.close(), store.sync()])],
    ['itself', (store: Store) => Promise.all([store.close(), store.close(), store.close()])],
  ])('closes beside %s, and nothing is lost', async (_, closing) => {
    const store = openStore(folder);
    for (const id of ids(50)) store.keep(requestOf(id), responseOf(id));
    await closing(store);
    expect(readdirSync(folder)).toEqual(['000001.idx', '000001.warc.gz']);
    await using again = openStore(folder);
    expect(again.size).toBe(50);
  });

  it('stores nothing once it is closed, and says so', async () => {
    const store = openStore(folder);
    store.keep(requestOf(1), responseOf(1));
    const closing = store.close();
    store.keep(requestOf(2), responseOf(2));
    const message = `${folder}: the store is closed, so nothing more is stored. Close clients first`;
    await expect(closing).rejects.toThrow(message);
    await expect(store.sync()).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(['000001.idx', '000001.warc.gz']);
    await using again = openStore(folder);
    expect(again.size).toBe(1);
  });

  it('writes the same bytes for the same responses in the same order, however far apart they come', async () => {
    const files = async (apart: boolean): Promise<Record<string, string>> => {
      await using store = openStore(folder, { now: () => 1_700_000_000_000 });
      for (const id of ids(5)) {
        store.keep(requestOf(id, id === 3 ? 'other' : 'search'), responseOf(id));
        if (apart) await store.sync();
      }
      await store.close();
      const found = Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString('base64')]));
      rmSync(folder, { recursive: true });
      return found;
    };
    const first = await files(false);
    expect(Object.keys(first)).toEqual(['000001.idx', '000001.warc.gz']);
    expect(await files(true)).toEqual(first);
  });

  it('takes the newest response of a request', async () => {
    await record([1]);
    await using store = openStore(folder);
    store.keep(requestOf(1), responseOf(1, 200));
    expect(store.find(requestOf(1))).toMatchObject({ response: responseOf(1, 200) });
    await store.close();
    await using again = openStore(folder);
    expect(again.find(requestOf(1))).toMatchObject({ response: responseOf(1, 200) });
  });

  it('begins a new segment when one is full', async () => {
    await record(ids(10), { segmentBytes: 2000 });
    expect(readdirSync(folder).filter((file) => file.endsWith('.gz')).length).toBeGreaterThan(3);
    await using store = openStore(folder);
    for (const id of ids(10)) expect(store.find(requestOf(id))).toMatchObject({ response: responseOf(id) });
  });

  it('takes nothing that is older than maxAgeMs, which may differ by operation', async () => {
    await record([1], { now: () => 1000 });
    const at = (now: number, maxAgeMs: StoreOptions['maxAgeMs']): string => {
      const store = openStore(folder, { maxAgeMs, now: () => now });
      return store.find(requestOf(1)).kind;
    };
    expect(at(1100, 100)).toBe('hit');
    expect(at(1101, 100)).toBe('miss');
    expect(at(1101, { '*': 100, search: 200 })).toBe('hit');
    expect(at(1101, { '*': 200, search: 100 })).toBe('miss');
    expect(at(1e12, { other: 100 })).toBe('hit');
  });

  it('finds nothing in mode record, and stores nothing in mode replay', async () => {
    await record([1]);
    await using recording = openStore(folder, { mode: 'record' });
    expect(recording.find(requestOf(1))).toEqual({ kind: 'miss' });
    await using replaying = openStore(folder, { mode: 'replay' });
    replaying.keep(requestOf(2), responseOf(2));
    expect(replaying.find(requestOf(2))).toEqual({ kind: 'miss' });
    expect(replaying.find(requestOf(1)).kind).toBe('hit');
  });

  it("keeps a sandbox's responses apart from those of other hosts, and replays the newest of both", async () => {
    const here = { ...requestOf(1), url: 'http://127.0.0.1:5000/search?id=1' };
    const alsoHere = { ...requestOf(1), url: 'http://localhost:6000' };
    const anywhere = { ...requestOf(1), url: '' };
    let time = 1;
    const statusAt = async (request: StoreRequest): Promise<number | undefined> => {
      await using store = openStore(folder);
      const found = store.find(request);
      return found.kind === 'hit' ? found.response.status : undefined;
    };
    await using store = openStore(folder, { now: () => time++ });
    store.keep(here, { ...responseOf(1), status: 201 });
    await store.sync();
    expect(await statusAt(requestOf(1))).toBeUndefined();
    expect([await statusAt(alsoHere), await statusAt(anywhere)]).toEqual([201, 201]);
    store.keep(requestOf(1), { ...responseOf(1), status: 202 });
    store.keep(here, { ...responseOf(1), status: 203 });
    await store.sync();
    expect([await statusAt(requestOf(1)), await statusAt(alsoHere), await statusAt(anywhere)]).toEqual([202, 203, 203]);
    expect([...store.current()]).toHaveLength(2);
  });

  it('sees what another process has stored meanwhile, and what it stored itself once', async () => {
    await using first = openStore(folder, { segmentBytes: 1 });
    first.keep(requestOf(1), responseOf(1));
    await first.sync();
    await using second = openStore(folder);
    expect(second.find(requestOf(1)).kind).toBe('hit');
    first.keep(requestOf(2), responseOf(2));
    await first.sync();
    second.keep(requestOf(3), responseOf(3));
    await second.sync();
    const found = (): string[] => [second.find(requestOf(2)).kind, first.find(requestOf(3)).kind];
    await expect.poll(() => [...found(), first.size, second.size]).toEqual(['hit', 'hit', 3, 3]);
  });

  it.each([
    ['mode', { mode: 'cache' }],
    ['maxAgeMs', { maxAgeMs: -1 }],
    ['maxAgeMs[search]', { maxAgeMs: { search: Number.NaN } }],
    ['segmentBytes', { segmentBytes: 0 }],
    ['syncMs', { syncMs: -1 }],
    ["there is no option 'maxAge'", { maxAge: 5 }],
  ])('refuses a wrong %s', (what, options) => {
    expect(() => openStore(folder, options as StoreOptions)).toThrow(RangeError);
    expect(() => openStore(folder, options as StoreOptions)).toThrow(what);
  });

  describe('after damage', () => {
    // Every so many bytes, the next ones tomorrow.
    const turnCount = 11;
    const turns = ofTheDay([...Array(turnCount).keys()], 1);

    it('makes a missing index again', async () => {
      await record(ids(20));
      const index = readFileSync(join(folder, '000001.idx'));
      rmSync(join(folder, '000001.idx'));
      await using store = openStore(folder);
      for (const id of ids(20)) expect(store.find(requestOf(id))).toMatchObject({ response: responseOf(id) });
      expect(readFileSync(join(folder, '000001.idx'))).toEqual(index);
    });

    it('reads a torn index as far as it goes, and the segment behind that', async () => {
      await record(ids(20));
      const whole = readFileSync(join(folder, '000001.idx')).length;
      for (const length of [0, 5, 16, 20, 60, whole - 1]) {
        truncateSync(join(folder, '000001.idx'), length);
        await using store = openStore(folder);
        for (const id of ids(20)) expect(store.find(requestOf(id)).kind).toBe('hit');
        expect(readFileSync(join(folder, '000001.idx'))).toHaveLength(whole);
      }
    });

    it('takes a torn tail as a miss, whether the index knows it or not', async () => {
      await record(ids(3));
      const segment = join(folder, '000001.warc.gz');
      truncateSync(segment, readFileSync(segment).length - 10);
      for (const index of [true, false]) {
        if (!index) rmSync(join(folder, '000001.idx'));
        await using store = openStore(folder);
        expect(store.find(requestOf(1)).kind).toBe('hit');
        const { kind, damage } = store.find(requestOf(2));
        expect([kind, damage !== undefined]).toEqual(['miss', index]);
        expect(store.find(requestOf(2))).toEqual({ kind: 'miss' });
      }
    });

    it.each(['gzip', 'identity'] as const)(
      'finds any flipped byte, says where, and gives no other response for it (%s)',
      async (encoding) => {
        await record(ids(3), {}, encoding);
        const size = readFileSync(join(folder, '000001.warc.gz')).length;
        let damaged = 0;
        const tried = [...Array(size).keys()].filter((at) => turns.includes(at % turnCount));
        for (const at of tried) {
          flip('000001.warc.gz', at);
          const store = openStore(folder, { mode: 'replay' });
          const found = ids(3).map((id) => store.find(requestOf(id)));
          const hits = found.flatMap((finding, id) =>
            finding.kind === 'hit' ? [finding.response.body.equals(responseOf(id, 100, encoding).body)] : [],
          );
          const bad = found.flatMap((finding) => finding.damage ?? []);
          expect(hits).toEqual(Array.from({ length: 3 - bad.length }, () => true));
          expect(bad.join()).toMatch(/^$|^[^,]*000001\.warc\.gz, record at byte \d+: [^,]+$/);
          damaged += bad.length;
          flip('000001.warc.gz', at);
        }
        expect(damaged).toBeGreaterThan(tried.length * 0.7);
      },
    );

    it('loses one record to a flipped byte, and none behind it, without an index too', async () => {
      await record(ids(5));
      const size = readFileSync(join(folder, '000001.warc.gz')).length;
      const lost: number[] = [];
      for (let at = 400; at < size; at += 31) {
        flip('000001.warc.gz', at);
        rmSync(join(folder, '000001.idx'), { force: true });
        const store = openStore(folder);
        lost.push(ids(5).filter((id) => store.find(requestOf(id)).kind !== 'hit').length);
        await store.close();
        flip('000001.warc.gz', at);
      }
      // Two bytes at the beginning of a member say which machine made it, and nothing about what is in it.
      expect([Math.max(...lost), lost.filter((count) => count === 0).length <= 2, lost.length > 20]).toEqual([1, true, true]);
    });

    it('reads whatever is whole around a damaged record, in any order', async () => {
      await record(ids(40), {}, 'identity');
      const size = readFileSync(join(folder, '000001.warc.gz')).length;
      flip('000001.warc.gz', size >> 1);
      const orders = [ids(40), ids(40).toReversed(), ids(40).map((id) => (id * 7) % 40)];
      for (const order of orders) {
        await using store = openStore(folder, { mode: 'replay' });
        const found = order.map((id) => [id, store.find(requestOf(id))] as const);
        const hits = found.flatMap(([id, finding]) => (finding.kind === 'hit' ? [[id, finding.response.body] as const] : []));
        expect(hits).toHaveLength(39);
        for (const [id, body] of hits) expect(body).toEqual(responseOf(id, 100, 'identity').body);
      }
    });

    it('never gives a wrong response for a flipped byte of the index', async () => {
      await record(ids(3));
      const size = readFileSync(join(folder, '000001.idx')).length;
      for (let at = 0; at < size; at++) {
        if (!turns.includes(at % turnCount)) continue;
        const before = readFileSync(join(folder, '000001.idx'));
        flip('000001.idx', at);
        await using store = openStore(folder);
        for (const id of ids(3)) expect(store.find(requestOf(id))).toMatchObject({ kind: 'hit', response: responseOf(id) });
        writeFileSync(join(folder, '000001.idx'), before);
      }
    });
  });
});
