import { afterEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { ask } from './ask.ts';
import { type AnyFaultName, more, type NamedFault } from './moreFaults/more.ts';

const open: Sandbox[] = [];
async function sandboxWith(list: readonly NamedFault[]): Promise<Sandbox> {
  const sandbox = await startSandbox({ faults: list.map(more) });
  open.push(sandbox);
  return sandbox;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

/** The statuses of so many requests, one after the other. */
async function statuses(sandbox: Sandbox, count: number, query = { query: 'a' }): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push((await ask(sandbox, '/autocomplete', query)).status);
  return all;
}

describe('when a fault is played', () => {
  it('on each request unless told otherwise', async () => {
    expect(await statuses(await sandboxWith([{ fault: 'status', status: 500 }]), 3)).toEqual([500, 500, 500]);
  });

  it('on the nth requests, counted from 1', async () => {
    expect(await statuses(await sandboxWith([{ fault: 'status', status: 500, nth: 2 }]), 3)).toEqual([200, 500, 200]);
    expect(await statuses(await sandboxWith([{ fault: 'status', status: 500, nth: [1, 3] }]), 4)).toEqual([500, 200, 500, 200]);
  });

  it('so often at most', async () => {
    expect(await statuses(await sandboxWith([{ fault: 'status', status: 500, times: 2 }]), 3)).toEqual([500, 500, 200]);
  });

  it('on a share that the seed draws, the same each time', async () => {
    const list: NamedFault[] = [{ fault: 'status', status: 500, share: 0.3 }];
    const [one, same] = await Promise.all([sandboxWith(list), sandboxWith(list)]);
    const [first, second] = [await statuses(one, 100), await statuses(same, 100)];
    expect(first).toEqual(second);
    const failed = first.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(15);
    expect(failed).toBeLessThan(45);
  });

  it('on the operations and queries it names, which alone are counted', async () => {
    const sandbox = await sandboxWith([
      { fault: 'status', status: 500, operation: 'mapsPosts' },
      { fault: 'status', status: 501, operation: ['autocomplete', 'aiMode'], query: { query: 'b' }, nth: 2 },
    ]);
    expect(await statuses(sandbox, 2)).toEqual([200, 200]);
    expect(await statuses(sandbox, 2, { query: 'b' })).toEqual([200, 501]);
    expect((await ask(sandbox, '/maps/posts', { data_id: 'x' })).status).toBe(500);
  });

  it('the first that is due; each counts the requests of the other', async () => {
    const sandbox = await sandboxWith([
      { fault: 'status', status: 501, nth: 1 },
      { fault: 'status', status: 502, nth: [1, 2] },
    ]);
    expect(await statuses(sandbox, 3)).toEqual([501, 502, 200]);
  });

  it('until others are set, which count from 1', async () => {
    const sandbox = await sandboxWith([{ fault: 'status', status: 500 }]);
    expect(await statuses(sandbox, 1)).toEqual([500]);
    sandbox.setFaults([{ fault: 'status', status: 502, nth: 1 }]);
    expect(await statuses(sandbox, 2)).toEqual([502, 200]);
    sandbox.setFaults([]);
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });

  it('and the log says which', async () => {
    const sandbox = await sandboxWith([{ fault: 'empty', nth: 1 }]);
    await statuses(sandbox, 2);
    expect(sandbox.requests.map(({ fault }) => fault)).toEqual(['empty', undefined]);
  });

  it('never on a request that is refused anyway', async () => {
    const sandbox = await sandboxWith([{ fault: 'status', status: 500, nth: 1 }]);
    expect((await ask(sandbox, '/autocomplete', {})).status).toBe(400);
    expect(await statuses(sandbox, 1)).toEqual([500]);
  });
});

/** What a plain request by fetch meets: the broken response, or the error's code. */
async function meets(fault: NamedFault, path: string, query: object): Promise<string> {
  const sandbox = await sandboxWith([fault]);
  const good = await startSandbox();
  open.push(good);
  const expected = `"data":${JSON.stringify((await ask(good, path, query)).data)},"requestId"`;
  const response = ask(sandbox, path, query).then(
    ({ status, text, headers }) => {
      if (status !== 200) return String(status);
      if (headers.get('x-huge') !== null) return 'header';
      return text.includes(expected) ? 'good' : 'other';
    },
    () => 'error',
  );
  const never = fault.fault === 'stall' || fault.fault === 'trickle';
  return never ? Promise.race([response, new Promise<string>((resolve) => setTimeout(resolve, 100, 'nothing'))]) : response;
}

describe('a fault of your own', () => {
  it('is a function that answers, and the log has its name', async () => {
    const sandbox = await startSandbox({
      faults: [
        {
          fault: function teapot(call) {
            call.json(call.wrap({ of: call.operation.name, was: Object.keys(call.data()) }), 418);
          },
          nth: 1,
        },
      ],
    });
    open.push(sandbox);
    expect(await ask(sandbox, '/autocomplete', { query: 'a' })).toMatchObject({
      status: 418,
      data: { of: 'autocomplete', was: ['suggestions', 'verbatim_relevance'] },
    });
    expect((await ask(sandbox, '/autocomplete', { query: 'a' })).status).toBe(200);
    expect(sandbox.requests.map(({ fault }) => fault)).toEqual(['teapot', undefined]);
  });
});

describe('every fault', () => {
  const reviews = ['/maps/reviews', { data_id: 'place 2', results: 2 }] as const;
  const expected: { readonly [N in AnyFaultName]: string } = {
    refused: 'error',
    reset: 'error',
    close: 'error',
    stall: 'nothing',
    tornBody: 'error',
    trickle: 'nothing',
    slices: 'good',
    delay: 'good',
    rubbish: 'error',
    flood: 'error',
    hugeHeader: 'error',
    twoLengths: 'error',
    wrongLength: 'error',
    connectionClose: 'other',
    status: '503',
    redirect: '302',
    noContent: '204',
    empty: 'other',
    html: 'other',
    notJson: 'other',
    noEnvelope: 'other',
    envelopeCode: 'other',
    failure: '500', // the embedded service declares none
    compressed: 'good',
    truncatedGzip: 'other',
    bomb: 'other',
    hugePage: 'other',
    deep: 'other',
    protoKeys: 'other',
    bigNumbers: 'other',
    escapes: 'other',
    oddTexts: 'other',
    list: 'other',
    badRows: 'other',
    token: 'other',
    staleToken: 'good',
    repeatedToken: 'good',
    tokenRing: 'good',
    emptyPage: 'other',
    fewerRows: 'other',
    repeatedPage: 'good',
    samePage: 'good',
    overlap: 'good',
    endlessWalk: 'good',
  };

  const large = { bytes: 1_000_000 };
  const options: { readonly [N in AnyFaultName]?: object } = {
    status: { status: 503 },
    delay: { ms: 5 },
    slices: { bytes: 50 },
    bomb: { bytes: 5_000_000 },
    hugePage: large,
    hugeHeader: large,
    connectionClose: large,
  };

  it.each(Object.keys(expected) as AnyFaultName[])('%s does what it says', async (name) => {
    expect(await meets({ fault: name, ...options[name] } as NamedFault, ...reviews)).toBe(expected[name]);
  });

  const page = async (sandbox: Sandbox, token?: string) =>
    (await ask(sandbox, '/maps/reviews', { data_id: 'place 2', results: 2, ...(token === undefined ? {} : { next_page_token: token }) }))
      .data as { readonly reviews_results: unknown; readonly next_page_token?: string };

  it('repeats the rows of the page before, and leads on', async () => {
    const good = await sandboxWith([]);
    const bad = await sandboxWith([{ fault: 'repeatedPage' }]);
    const first = await page(good);
    const second = await page(good, first.next_page_token);
    const third = await page(good, second.next_page_token);
    expect(await page(bad)).toEqual(first);
    expect(await page(bad, second.next_page_token)).toEqual({ ...third, reviews_results: second.reviews_results });
  });

  it('has nothing to repeat beyond the end of a walk, where an empty page led', async () => {
    const sandbox = await sandboxWith([
      { fault: 'emptyPage', nth: 1 },
      { fault: 'repeatedPage', nth: 2 },
    ]);
    const good = await sandboxWith([]);
    let last: string | undefined;
    for (let next = (await page(good)).next_page_token; next !== undefined; next = (await page(good, next)).next_page_token) last = next;
    const beyond = (await page(sandbox, last)).next_page_token;
    expect(beyond).toBeDefined();
    expect((await page(sandbox, beyond)).reviews_results).toEqual([]);
  });

  it('that needs a list or a token says so where there is none', async () => {
    const sandbox = await sandboxWith([{ fault: 'token' }, { fault: 'list', operation: 'aiMode' }]);
    expect(await ask(sandbox, '/maps/search', { query: 'a' })).toMatchObject({
      status: 500,
      message: expect.stringContaining('mapsSearch has no tokens'),
    });
  });

  it('of a list can be played on another list than the default one', async () => {
    const sandbox = await sandboxWith([{ fault: 'list', list: 'brands' }]);
    const { data } = await ask(sandbox, '/hotels/search', { query: 'a', check_in_date: '2026-05-01', check_out_date: '2026-05-02' });
    expect(Object.keys(data)).not.toContain('brands');
    expect(data.ads.length).toBeGreaterThan(0);
  });
});
