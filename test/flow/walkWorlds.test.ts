import { lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';
import { countsOf, walkInPipe } from '../walkInPipe.ts';
import { walkedOperations, worldResponses, worldService, worldsOf, worldStage } from '../walkWorlds.ts';

describe('a walk of every kind, whatever goes wrong', () => {
  const disk = new MemoryDisk();
  let requests: readonly FakeRequest[];
  let summary: FlowSummary;

  beforeAll(async () => {
    const stages = Object.fromEntries(walkedOperations.map((operation) => [operation, worldStage(operation, worldsOf(operation))]));
    const flow: FlowDefinition = { name: 'worlds', service: worldService, stages };
    const fake = fakeClient(worldService, worldResponses(), { retry: { maxAttempts: 1 } });
    requests = fake.requests;
    const progress$ = runFlow(flow, { client: fake.client, outDir: '/out', fileSystem: new MemoryFileSystem(disk), concurrency: 1 });
    summary = (await lastValueFrom(progress$)) as FlowSummary;
    await fake.client.close();
  });

  it.each(walkedOperations)('%s: a flow requests what a pipe does, has its rows and says the same of them', async (operation) => {
    const expected = await walkInPipe(operation, worldsOf(operation));
    const sent = requests.filter((request) => request.operation === operation).map(({ query }) => JSON.stringify(query));
    const text = disk.read(`/out/${operation}.jsonl`)!.toString();
    const counts = countsOf(summary.stages.find(({ name }) => name === operation)!);
    expect({ requests: sent, rows: text.split('\n').slice(0, -1), ...counts }).toEqual(expected);
  });
});
