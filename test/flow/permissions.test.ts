import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { failWith, fakeClient } from '../../src/testing/index.ts';

const town = defineService({
  name: 'town',
  operations: {
    shops: defineOperation({
      get: '/shops',
      params: { street: { type: 'string', about: 'a street' } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
      id: 'id',
    }),
  },
});
const flow: FlowDefinition = {
  name: 'town',
  stages: { shops: { call: 'shops', with: { street: ['high', 'low', 'bad'] }, to: ['shops.csv', 'lists/shops.jsonl', 'shops.parquet'] } },
};

describe("a run's files", () => {
  const outDir = mkdtempSync(join(tmpdir(), 'trawler-modes-'));
  afterAll(() => rmSync(outDir, { recursive: true }));
  const filesIn = (folder: string): readonly string[] =>
    readdirSync(join(outDir, folder), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? filesIn(join(folder, one.name)) : [join(folder, one.name)],
    );

  it.skipIf(process.platform === 'win32')(
    'may be read by whom the umask lets, but for the journal and what holds failed queries',
    async () => {
      const run = async (day: number, update: boolean): Promise<void> => {
        const { client } = fakeClient(town, ({ query }) => {
          const { street } = query as { readonly street: string };
          if (street === 'bad') throw failWith(400);
          return { rows: [{ id: `${street} ${day}` }] };
        });
        await lastValueFrom(runFlow(flow, { client, outDir, update }));
      };
      await run(1, false);
      await run(2, true); // an update makes its files elsewhere, and moves them
      const readable = filesIn('.').filter((file) => (statSync(join(outDir, file)).mode & 0o777) === (0o666 & ~process.umask()));
      const isOurs = (file: string): boolean => file.startsWith('.trawler') || file === 'failures.jsonl';
      const others = filesIn('.').filter(isOurs);
      expect(readable.filter((file) => !file.startsWith('changes')).toSorted()).toEqual(
        ['datapackage.json', 'lists/shops.jsonl', 'report.html', 'shops.csv', 'shops.parquet'].toSorted(),
      );
      expect(readable.filter((file) => file.startsWith('changes'))).toHaveLength(1);
      expect(others).toContain('failures.jsonl');
      expect(others.map((file) => statSync(join(outDir, file)).mode & 0o777)).toEqual(others.map(() => 0o600));
    },
  );
});
