import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { fakeClient } from './fakeClient.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-remarks-'));
});
afterAll(() => rm(folder, { recursive: true }));

const flow: FlowDefinition = {
  name: 'remarks',
  stages: {
    words: {
      call: 'autocomplete',
      with: { query: ['a', 'b', 'c'] },
      to: ['words.jsonl', 'words.csv', 'words.csv.gz', 'words.sqlite'],
    },
  },
};

/** Two rows a query. One has a field that isn't documented, the other half a surrogate pair. */
async function run(outDir: string, maxRequests?: number): Promise<FlowSummary> {
  const client = fakeClient(({ query }) => ({
    suggestions: [
      { value: `${query['query']} 1`, relevance: 1, type: 'QUERY', odd: 7 },
      { value: 'half \ud800', relevance: 1, type: 'QUERY' },
    ],
    verbatim_relevance: 1,
  }));
  return (await lastValueFrom(runFlow(flow, { client, outDir, ...(maxRequests === undefined ? {} : { maxRequests }) }))) as FlowSummary;
}

const remarks = { unlisted: { odd: 3 }, replaced: 3 };
const expected = { 'words.jsonl': {}, 'words.csv': remarks, 'words.csv.gz': remarks, 'words.sqlite': remarks };

function remarksIn(files: readonly (FlowSummary['files'][number] & { readonly path: string })[]): object {
  return Object.fromEntries(
    files.map(({ path, unlisted, replaced }) => [path, { ...(unlisted && { unlisted }), ...(replaced !== undefined && { replaced }) }]),
  );
}

describe('what files can’t hold', () => {
  it('is in the summary, in datapackage.json and in the report', async () => {
    const outDir = join(folder, 'whole');
    expect(remarksIn((await run(outDir)).files)).toEqual(expected);
    const { resources } = JSON.parse(await readFile(join(outDir, 'datapackage.json'), 'utf8')) as { resources: FlowSummary['files'] };
    expect(remarksIn(resources)).toEqual(expected);
    const report = await readFile(join(outDir, 'report.html'), 'utf8');
    expect(report).toContain('words.csv: no column for odd: the description doesn&#39;t have it. A .jsonl file has all fields.');
    expect(report).toContain('words.csv: 3 values have U+FFFD instead of a character that the format can&#39;t hold.');
  });

  it('is counted once by a run that is resumed after each request, and by one that was finished before', async () => {
    const outDir = join(folder, 'resumed');
    let runs = 0;
    let summary: FlowSummary;
    do summary = await run(outDir, 1);
    while (summary.outcome === 'interrupted' && ++runs < 9);
    expect(runs).toBeGreaterThan(1);
    expect(remarksIn(summary.files)).toEqual(expected);
    expect(remarksIn((await run(outDir)).files)).toEqual(expected);
  });
});
