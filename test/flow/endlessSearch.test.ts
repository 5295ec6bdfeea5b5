import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coverArea } from '../../operators/index.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { createClient, type Client } from '../../src/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { more } from '../sandbox/moreFaults/more.ts';

const area = [13, 52, 13.4, 52.3] as const;
const full = 20;
const flow: FlowDefinition = {
  name: 'endless',
  stages: { places: { call: 'mapsSearch', with: { query: 'coffee' }, cover: { within: [...area], full }, to: 'places.jsonl' } },
};

describe('a search of an area whose first view has no last page', () => {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    sandbox = await startSandbox({ map: { within: [12.9, 51.9, 13.5, 52.4], places: 24 } });
    folder = await mkdtemp(join(tmpdir(), 'trawler-endless-'));
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  const clientOf = (): Client => createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited', maxRequests: 500 });
  /** From now on the view of the first search so far is endless. */
  const makeEndless = (): void => {
    const ll = String(sandbox.requests[0]!.query['ll']);
    sandbox.setFaults([more({ fault: 'endlessWalk', operation: 'mapsSearch', query: { ll } })]);
    sandbox.reset();
  };

  it.each(['flow', 'pipe'] as const)('is walked no further than four times full: %s', async (kind) => {
    const cover = async (name: string): Promise<void> => {
      await using client = clientOf();
      const cover$ = coverArea(client.mapsSearch, { within: [...area], query: 'coffee', full }).pipe(toArray());
      // narrower searches lack what the endless one makes up, so the area may be refused
      const refused = (error: unknown): void => {
        if (!String(error).includes('different rows each time')) throw error;
      };
      if (kind === 'pipe') await lastValueFrom(cover$).catch(refused);
      else await lastValueFrom(runFlow(flow, { client, outDir: join(folder, name) }));
    };
    sandbox.setFaults([]);
    sandbox.reset();
    await cover('clean');
    makeEndless();
    await cover('endless');
    const endless = sandbox.requests.filter((request) => request.fault === 'endlessWalk');
    expect(endless).toHaveLength((4 * full) / 20);
  });
});
