import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { PageRequest } from '../../../operators/index.ts';
import type { ClientOptions } from '../../../src/client/ClientOptions.ts';
import { DriftError } from '../../../src/errors/index.ts';
import { reply, startServer } from '../startServer.ts';
import { errorOf, eventsOf, testClient } from '../testClient.ts';

const suggestion = { value: 'coffee', relevance: 1, type: 'QUERY' };

/** Asks once for each response; gives the pages, the drift events, and the error if there was one. */
async function ask(responses: readonly object[], options: ClientOptions = {}, request: PageRequest = {}) {
  let asked = 0;
  await using server = await startServer((_, response) => reply(response, responses[asked++]));
  await using client = testClient(server.url, options);
  const events = eventsOf(client);
  const pages = [];
  for (const _ of responses.slice(1)) pages.push(await firstValueFrom(client.autocomplete({ query: 'c' }, request)));
  const last = client.autocomplete({ query: 'c' }, request);
  if (options.validate === 'strict' || options.maxDriftShare !== undefined)
    return { pages, events, error: await errorOf(last), stats: client.stats() };
  pages.push(await firstValueFrom(last));
  return { pages, events, error: undefined, stats: client.stats() };
}

describe('ResponseReader', () => {
  it('reports nothing for a documented response with extra fields', async () => {
    const { events, pages } = await ask([{ suggestions: [{ ...suggestion, extra: 1 }], verbatim_relevance: 5, more: {} }]);
    expect(events.map((event) => event.type)).not.toContain('drift');
    expect(pages[0]!.items).toEqual([{ ...suggestion, extra: 1 }]);
  });

  it('reports undocumented things, and continues', async () => {
    const { events, pages } = await ask([{ suggestions: [{ ...suggestion, relevance: 'high' }], verbatim_relevance: 5 }]);
    expect(pages[0]!.items).toHaveLength(1);
    expect(events.filter((event) => event.type === 'drift')).toMatchObject([
      { operation: 'autocomplete', skipped: 0, issues: [{ path: 'suggestions[].relevance' }] },
    ]);
  });

  it('reports an absent list as drift where that means no rows, and not an empty one', async () => {
    const { events, pages } = await ask([{ verbatim_relevance: 5 }], {}, { missing: 'empty' });
    expect([pages[0]!.items, pages[0]!.list]).toEqual([[], 'present']);
    expect(events.find((event) => event.type === 'drift')).toMatchObject({ issues: [{ path: 'suggestions' }] });
  });

  it('skips rows without any shape, and passes the others on', async () => {
    const { events, pages } = await ask([{ suggestions: [suggestion, 'a text', suggestion, null], verbatim_relevance: 5 }]);
    expect(pages[0]!.items).toEqual([suggestion, suggestion]);
    const drift = events.filter((event) => event.type === 'drift');
    expect(drift.map((event) => [event.skipped, event.raw])).toEqual([
      [1, 'a text'],
      [1, null],
    ]);
    expect(drift[0]!.issues).not.toHaveLength(0);
  });

  it('fails once more than the allowed share of rows has no shape, after at least twenty', async () => {
    const bad = (rows: number): object => ({
      suggestions: Array.from({ length: 10 }, (_, n) => (n < rows ? 'bad' : suggestion)),
      verbatim_relevance: 5,
    });
    const { error, pages } = await ask([bad(10), bad(1)], { maxDriftShare: 0.5 });
    expect(pages).toHaveLength(1);
    expect(error).toBeInstanceOf(DriftError);
    expect(error).toMatchObject({ operation: 'autocomplete', message: expect.stringContaining('55 %') as string });
  });

  it("makes an error of any drift with 'strict'", async () => {
    const { error, stats } = await ask([{ suggestions: [{ value: 1 }] }], { validate: 'strict' });
    expect(error).toBeInstanceOf(DriftError);
    expect(error).toMatchObject({ attempts: 1, requestId: expect.any(String) as string });
    expect((error as Error).message).toMatch(/suggestions/);
    expect(stats).toMatchObject({ inFlight: 0, failures: 1 });
  });

  it("checks nothing with 'off'", async () => {
    const { events, pages } = await ask([{ suggestions: ['bad'] }], { validate: 'off' });
    expect(pages[0]!.items).toEqual([{ value: 'bad' }]);
    expect(events.map((event) => event.type)).not.toContain('drift');
  });

  it('says once that an unread list has rows', async () => {
    const response = { suggestions: [], verbatim_relevance: 0, related: [{ a: 1 }, { a: 2 }] };
    const { events } = await ask([response, response]);
    expect(events.filter((event) => event.type === 'unread')).toMatchObject([{ operation: 'autocomplete', list: 'related', items: 2 }]);
    const read = await ask([response], {}, { rows: 'related' });
    expect(read.events.map((event) => event.type)).not.toContain('unread');
    expect(read.pages[0]!.items).toHaveLength(2);
  });
});
