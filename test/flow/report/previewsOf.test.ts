import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpError } from '../../../src/errors/index.ts';
import { runFlow, type FlowDefinition } from '../../../src/flow/index.ts';
import { fakeClient } from '../fakeClient.ts';

let outDir: string;
beforeEach(async () => void (outDir = await mkdtemp(join(tmpdir(), 'trawler-previews-'))));
afterEach(() => rm(outDir, { recursive: true, force: true }));

const flowTo = (to: string | string[]): FlowDefinition => ({
  name: 'places',
  stages: { places: { call: 'mapsSearch', with: { query: ['a', 'b'] }, to } },
});
const places = {
  search_results: [{ title: '=Ann', data_id: '0x1', gps_coordinates: { latitude: 40.5, longitude: -73.5 } }],
};

/** The headings and the cells of each table of the report. */
async function tables(): Promise<{ readonly [heading: string]: string }[]> {
  const html = await readFile(join(outDir, 'report.html'), 'utf8');
  return [...html.matchAll(/<table class="sample[^"]*">(.*?)<\/table>/gs)].map(([table]) => {
    const cells = (row: string, tag: string): string[] =>
      [...row.matchAll(new RegExp(`<${tag}[ >].*?</${tag}>`, 'g'))].map(([cell]) => cell.replaceAll(/<[^>]*>/g, ''));
    const values = cells(table.split('<tbody>')[1]!.split('</tr>')[0]!, 'td');
    return Object.fromEntries(cells(table, 'th').map((heading, index) => [heading, values[index]!]));
  });
}

describe('previewsOf', () => {
  for (const to of ['p.csv', 'p.tsv.gz', 'p.parquet', 'p.sqlite', ['p.jsonl', 'p.csv']] as const) {
    it(`shows the columns of the table in ${String(to)}, each stage once`, async () => {
      await lastValueFrom(runFlow(flowTo(typeof to === 'string' ? to : [...to]), { client: fakeClient(() => places), outDir }));
      const all = await tables();
      expect(all).toHaveLength(1);
      expect(all[0]).toMatchObject({ title: '=Ann', 'gps_coordinates.latitude': '40.5', rating: '' });
      expect(all[0]).not.toHaveProperty('gps_coordinates');
    });
  }

  it('shows the fields of JSONL as they are', async () => {
    await lastValueFrom(runFlow(flowTo('p.jsonl'), { client: fakeClient(() => places), outDir }));
    expect((await tables())[0]).toMatchObject({ title: '=Ann', gps_coordinates: expect.stringContaining('latitude') as string });
  });

  it('shows rows and failures of earlier runs after a resume', async () => {
    const failing = fakeClient(({ query }) => {
      if (query['query'] === 'b')
        throw new HttpError('mapsSearch: status 404', { operation: 'mapsSearch', query, status: 404, attempts: 1 });
      return places;
    });
    await lastValueFrom(runFlow(flowTo('p.csv'), { client: failing, outDir }));
    await rm(join(outDir, 'report.html'));
    await lastValueFrom(runFlow(flowTo('p.csv'), { client: fakeClient(() => places), outDir }));
    expect((await tables())[0]).toMatchObject({ title: '=Ann' });
    expect(await readFile(join(outDir, 'report.html'), 'utf8')).toMatch(/1 ×<\/td>.*status 404/);
  });
});
