import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { fanOut, items, offsetPages } from '../../operators/index.ts';
import { searchService } from '../../src/search/index.ts';
import { fakeClient } from '../../src/testing/index.ts';
import { demandProbe } from './demandProbe.ts';

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('demandProbe', () => {
  it('shows what a pipe requests and what it holds back', async () => {
    const { client, requests } = fakeClient(
      searchService,
      ({ query }) => ({ search_results: [{ data_id: String(query['page'] ?? 0), title: 'x' }] }),
      {
        validate: 'off',
      },
    );
    const probe = demandProbe(
      of({ query: 'a', ll: '@1,2,14z' }).pipe(
        offsetPages(client.mapsSearch, { maxPages: 4 }),
        items(),
        fanOut((row) => of(row)),
      ),
    );
    probe.hold();
    await later();
    expect([requests.length, probe.held]).toEqual([0, true]);
    probe.release();
    await expect.poll(() => [requests.length, probe.values.length, probe.held, probe.end]).toEqual([4, 4, false, 'complete']);
  });
});
