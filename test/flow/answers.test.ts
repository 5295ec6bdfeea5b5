import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, mergeMap, of, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerBlocks, answerCitations, answerSources } from '../../src/operators.ts';
import { createClient } from '../../src/createClient.ts';
import { checkFlow, loadFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-answers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = async (file: string): Promise<{ readonly [field: string]: unknown }[]> => {
  const lines = (await readFile(join(folder, 'out', file), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { readonly [field: string]: unknown });
};
const whole = (table: string, each: string, call: 'aiMode' | 'aiOverview'): object => ({
  call,
  each,
  with: call === 'aiMode' ? { query: '$.question' } : { url: '$.url' },
  keep: { question: '$.question' },
  rows: table,
  to: [`${table}.jsonl`, `${table}.csv`],
});
const flows: { readonly [name: string]: { readonly requests: number; readonly stages: object } } = {
  'AI mode': {
    requests: 3,
    stages: {
      answers: { call: 'aiMode', with: { query: ['tea', 'coffee', 'milk'] }, keep: { question: '$query.query' } },
      blocks: whole('blocks', 'answers', 'aiMode'),
      sources: whole('sources', 'answers', 'aiMode'),
      citations: whole('citations', 'answers', 'aiMode'),
    },
  },
  'AI overview': {
    requests: 6,
    stages: {
      searches: {
        call: 'webSearch',
        with: { query: ['tea', 'coffee', 'milk'] },
        rows: 'organic_results',
        keep: { question: '$query.query' },
      },
      overviews: { call: 'aiOverviews', each: 'searches', keep: { question: '$.question', url: '$query.url' } },
      blocks: whole('blocks', 'overviews', 'aiOverview'),
      sources: whole('sources', 'overviews', 'aiOverview'),
      citations: whole('citations', 'overviews', 'aiOverview'),
    },
  },
};

describe('generated answers as tables', () => {
  it.each(Object.entries(flows))(
    '%s: parts, sources and citations in order, for one request an answer',
    async (_, { requests, stages }) => {
      await using sandbox = await startSandbox();
      await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
      await writeFile(join(folder, 'flow.json'), JSON.stringify({ name: 'answers', store: 'responses', stages }));
      const flow = await loadFlow(join(folder, 'flow.json'));
      const run = async (maxRequests?: number): Promise<FlowSummary> =>
        (await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'out'), maxRequests }))) as FlowSummary;
      await run(2);
      expect((await run()).outcome).not.toBe('interrupted');
      expect(sandbox.count()).toBe(requests);
      const [blocks, sources, citations] = await Promise.all(['blocks.jsonl', 'sources.jsonl', 'citations.jsonl'].map(read));
      for (const question of ['tea', 'coffee', 'milk']) {
        const own = blocks!.filter((row) => row['question'] === question);
        const places = own.map(({ block, entry }) => Number(block) * 100 + Number(entry ?? 0));
        expect(places.length).toBeGreaterThan(2);
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        const numbers = sources!.filter((row) => row['question'] === question).map(({ source }) => source);
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      }
      expect(citations!.length).toBeGreaterThan(0);
      for (const { question, block, entry, source, domain } of citations!) {
        const part = blocks!.find((row) => row['question'] === question && row['block'] === block && row['entry'] === entry);
        expect(String(part?.['cites']).split(', ')).toContain(String(source));
        expect(sources!.find((row) => row['question'] === question && row['source'] === source)).toMatchObject({ domain });
      }
      const cited = sources!.reduce((sum, row) => sum + Number(row['cited']), 0);
      expect(cited).toBe(citations!.length);
      expect((await readFile(join(folder, 'out', 'sources.csv'), 'utf8')).split('\n')[0]).toBe(
        'question,source,title,link,domain,name,snippet,cited',
      );
    },
  );

  it('come in time: an address that has expired is renewed', async () => {
    let count = (): number => 0;
    const start = Date.now();
    // The first request for an overview is late.
    await using sandbox = await startSandbox({ now: () => (count() === 1 ? start + 300_000 : start) });
    count = () => sandbox.count('aiOverview');
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const stages = {
      searches: { call: 'webSearch', with: { query: 'tea' } },
      sources: { call: 'aiOverviews', each: 'searches', rows: 'sources', to: 'sources.jsonl' },
    };
    const summary = (await lastValueFrom(runFlow({ name: 'late', stages }, { client, outDir: join(folder, 'out') }))) as FlowSummary;
    expect(summary.stages[1]).toMatchObject({ done: 1, failed: 0 });
    expect([sandbox.count('webSearch'), sandbox.count('aiOverview')]).toEqual([2, 2]);
    expect((await read('sources.jsonl')).length).toBeGreaterThan(0);
  });

  it('are tables in pipes, too', async () => {
    await using sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const rows = await lastValueFrom(
      of({ query: 'tea' }).pipe(
        mergeMap((query) => client.aiMode(query)),
        mergeMap(({ data }) => [...answerBlocks(data), ...answerSources(data), ...answerCitations(data)]),
        toArray(),
      ),
    );
    expect(rows.length).toBeGreaterThan(4);
  });

  it('take every form that was seen, and nothing from what is none', () => {
    const data = {
      text_blocks: [
        { type: 'heading', text: 'Tea', level: 2 },
        { type: 'paragraph', snippet: 'Hot.', reference_indexes: [2] },
        { type: 'list', list: [{ title: 'Green', snippet: 'Mild.', link: 'https://a.example/#top' }, null, { snippet: 'Black.' }] },
        { type: 'list', items: [{ type: 'list_item', snippet: 'Cup.', links: [{ text: 'b', link: 'https://www.b.example' }] }] },
        'odd',
      ],
      references: [
        { title: 'A', link: 'https://a.example', source: '', index: 1 },
        { title: 'B', link: 'https://www.b.example/', source: 'B', snippet: 'b', index: 2 },
      ],
    };
    expect(answerBlocks(data).map(({ block, entry, text, cites }) => [block, entry, text, cites])).toEqual([
      [1, null, 'Tea', ''],
      [2, null, 'Hot.', '2'],
      [3, 1, 'Mild.', '1'],
      [3, 2, 'Black.', ''],
      [4, 1, 'Cup.', '2'],
    ]);
    expect(answerSources(data).map(({ source, domain, name, cited }) => [source, domain, name, cited])).toEqual([
      [1, 'a.example', null, 1],
      [2, 'b.example', 'B', 2],
    ]);
    expect(answerSources(null)).toEqual([]);
  });

  it('have columns that are checked', () => {
    const stage = { call: 'aiMode', with: { query: 'tea' }, rows: 'sources', where: { domian: 'a.example' }, to: 'x.csv' };
    const messages = (one: object): string => checkFlow({ name: 'x', stages: { one } } as FlowDefinition)[0]?.message ?? '';
    expect(messages(stage)).toContain("did you mean 'domain'?");
    expect(messages({ ...stage, where: {}, rows: 'source' })).toContain("did you mean 'sources'?");
  });
});
