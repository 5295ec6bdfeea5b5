import { getEventListeners } from 'node:events';
import { from, ignoreElements, lastValueFrom, NEVER, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { defineOperator, fanOut } from '../../../operators/index.ts';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import { searchService } from '../../../src/index.ts';
import { fakeClient } from '../../../src/testing/index.ts';

describe('onAbort', () => {
  it('calls everybody who waits, once, and nobody who has left', () => {
    const stop = new AbortController();
    const called: string[] = [];
    const leave = ['a', 'b', 'c', 'd'].map((name) => onAbort(stop.signal, () => void called.push(name)));
    leave[1]!();
    leave[1]!();
    stop.abort();
    leave[0]!();
    expect(called).toEqual(['a', 'c', 'd']);
  });

  it('lets those leave who are called, and others with them', () => {
    const stop = new AbortController();
    const called: string[] = [];
    const leave: (() => void)[] = ['a', 'b'].map((name) =>
      onAbort(stop.signal, () => {
        called.push(name);
        for (const one of leave) one();
      }),
    );
    stop.abort();
    expect(called).toEqual(['a']);
  });

  it('has one listener, and none once nobody waits', () => {
    const { signal } = new AbortController();
    const leave = Array.from({ length: 30 }, () => onAbort(signal, () => undefined));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (const one of leave) one();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is how requests and operators that share a signal hear of it', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const { client } = fakeClient(searchService, () => ({ suggestions: [] }));
    let most = 0;
    const count = (): void => void (most = Math.max(most, getEventListeners(signal, 'abort').length));
    const queries = Array.from({ length: 30 }, (_, n) => ({ query: `tea ${n}` }));
    const ask = (query: (typeof queries)[number]) => client.autocomplete(query, { signal }).pipe(tap({ subscribe: count, next: count }));
    await lastValueFrom(from(queries).pipe(fanOut(ask, { concurrency: 30, signal }), ignoreElements()), { defaultValue: undefined });
    expect([most, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
    await client.close();

    let failed = 0;
    const pass = defineOperator<never, never>((source, out) => out.listen(source, { next: () => undefined }), { signal });
    for (let n = 0; n < 12; n++) NEVER.pipe(pass).subscribe({ error: () => (failed += 1) });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stop.abort();
    expect([failed, getEventListeners(signal, 'abort').length]).toEqual([12, 0]);
  });
});
