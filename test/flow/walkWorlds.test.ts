import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';
import { countsOf, walkInPipe } from '../walkInPipe.ts';
import { walkedOperations, worldResponses, worldService, worldsOf, worldStage } from '../walkWorlds.ts';

describe('a walk of every kind, whatever goes wrong', () => {
  let folder: string;
  let requests: readonly FakeRequest[];
  let summary: FlowSummary;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trawler-worlds-'));
    const stages = Object.fromEntries(walkedOperations.map((operation) => [operation, worldStage(operation, worldsOf(operation))]));
    const flow: FlowDefinition = { name: 'worlds', service: worldService, stages };
    const fake = fakeClient(worldService, worldResponses(), { retry: { maxAttempts: 1 } });
    requests = fake.requests;
    const progress$ = runFlow(flow, { client: fake.client, outDir: folder, concurrency: 1 });
    summary = (await lastValueFrom(progress$)) as FlowSummary;
    await fake.client.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(walkedOperations)('%s: a flow requests what a pipe does, has its rows and says the same of them', async (operation) => {
    const expected = await walkInPipe(operation, worldsOf(operation));
    const sent = requests.filter((request) => request.operation === operation).map(({ query }) => JSON.stringify(query));
    const text = readFileSync(join(folder, `${operation}.jsonl`), 'utf8');
    const counts = countsOf(summary.stages.find(({ name }) => name === operation)!);
    expect({ requests: sent, rows: text.split('\n').slice(0, -1), ...counts }).toEqual(expected);
  });
});
