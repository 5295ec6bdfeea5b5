import { lastValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { type FlowDefinition, runFlow } from '../../src/flow/index.ts';
import { startServer } from '../client/startServer.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

const row = { id: 'string' } as const;
const files = defineOperation({
  name: 'files',
  get: '/files',
  response: { files: [{ ...row, replies: 'string' }], 'next?': 'string' },
  rows: 'files',
  next: 'next',
});
const replies = defineOperation({
  name: 'replies',
  get: '/replies',
  params: { next: { type: 'string', required: true } },
  response: { replies: [row], 'next?': 'string' },
  rows: 'replies',
  next: 'next',
});

it('an address in a row is requested as the next page of another operation, with its own next pages', async () => {
  const paths: string[] = [];
  await using server = await startServer((request, response) => {
    paths.push(request.url!);
    const [, file, page = '1'] = /^\/files\/(\w+)\/replies(?:\?p=(\d))?$/.exec(request.url!) ?? [];
    const next = page === '1' ? { next: `/files/${file}/replies?p=2` } : {};
    const all = { files: ['a', 'b'].map((id) => ({ id, replies: `${server.url}/files/${id}/replies` })) };
    response.end(JSON.stringify(file === undefined ? all : { replies: [{ id: `${file}${page}` }], ...next }));
  });
  const service = defineService({ name: 'addresses', operations: { files, replies } });
  const stages = {
    files: { call: 'files', to: 'files.jsonl' },
    replies: { call: 'replies', each: 'files', with: { next: '$.replies' }, keep: { file: '$.id' }, to: 'replies.jsonl' },
  };
  const fileSystem = new MemoryFileSystem();
  await using client = createClient({ service, baseUrl: server.url, apiKey: 'a-secret-key', rate: 'unlimited' });
  const flow = { name: 'addresses', service, stages } as unknown as FlowDefinition;
  expect(await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem }))).toMatchObject({ outcome: 'complete' });
  const lines = fileSystem.disk.read('/out/replies.jsonl')!.toString().trim().split('\n').toSorted();
  expect(lines).toEqual(['a1', 'a2', 'b1', 'b2'].map((id) => JSON.stringify({ file: id[0], id })));
  expect(paths).toHaveLength(5);
});
