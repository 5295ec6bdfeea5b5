import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leadFlow, startWorker } from '../../src/bullmq/index.ts';
import type { FlowDefinition, FlowSummary } from '../../src/flow/index.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { countsOf, walkInPipe, type WalksOutcome } from '../walkInPipe.ts';
import { walkedOperations, worldResponses, worldService, worlds, worldStage } from '../walkWorlds.ts';
import { brokers, type TestBroker } from './brokers.ts';

// A few of the worlds of each operation, so few that no recheck is left out: in which order walks end differs here.
const step = process.env['TRAWLER_LONG'] === '1' ? 5 : 28;
const sampleOf = (operation: string): readonly string[] => worlds.filter((_, nth) => nth % step === operation.length % step);

describe.each(ofTheDay(brokers, 1, 1))('a walk of every kind over a queue in $broker, whatever goes wrong', ({ start }) => {
  let folder: string;
  let server: TestBroker;
  let requests: readonly FakeRequest[];
  let summary: FlowSummary;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trawler-queue-worlds-'));
    server = await start();
    const stages = Object.fromEntries(walkedOperations.map((operation) => [operation, worldStage(operation, sampleOf(operation))]));
    const flow: FlowDefinition = { name: 'worlds', service: worldService, stages };
    const fake = fakeClient(worldService, worldResponses());
    requests = fake.requests;
    const worker = await startWorker(flow, { client: fake.client as never, queue: server.url, concurrency: 16, lockMs: 60_000 });
    const progress$ = leadFlow(flow, { queue: server.url, outDir: folder, retry: { maxAttempts: 1 }, rate: 'unlimited' });
    summary = (await lastValueFrom(progress$)) as FlowSummary;
    await worker.close();
    await fake.client.close();
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const sorted = ({ requests: sent, rows, ...counts }: WalksOutcome): WalksOutcome => ({
    requests: sent.toSorted(),
    rows: rows.toSorted(),
    ...counts,
  });

  it.each(walkedOperations)(
    '%s: workers request what a pipe does, and the flow has its rows and says the same of them',
    async (operation) => {
      const expected = sorted(await walkInPipe(operation, sampleOf(operation)));
      const sent = requests.filter((request) => request.operation === operation).map(({ query }) => JSON.stringify(query));
      const rows = readFileSync(join(folder, `${operation}.jsonl`), 'utf8')
        .split('\n')
        .slice(0, -1);
      const counts = countsOf(summary.stages.find(({ name }) => name === operation)!);
      expect(sorted({ requests: sent, rows, ...counts })).toEqual(expected);
    },
  );
});
