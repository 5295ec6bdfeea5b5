import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ latencyMs: 60_000 });
});
afterAll(() => sandbox.close());

/** Runs a script that has a client with two open streams, and others that are over. Gives what it said. */
function run(script: string): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const source = `
    import { createClient } from ${JSON.stringify(new URL(`file://${inject('dist')}/bundle/index.js`).href)};
    const clients = [1, 2, 3].map(() => createClient(${JSON.stringify({ baseUrl: sandbox.url, apiKey: sandbox.apiKey })}));
    const [one, other, closed] = clients;
    const open = [one, other, one, closed].map((client) => client.webSearch({ query: 'tea' }).subscribe({ error: () => undefined }));
    open[2].unsubscribe();
    await closed.close();
    ${script}`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', source], (error, _, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stderr }),
    );
  });
}

describe('a process that ends with open streams', () => {
  it('says so once, and keeps its exit code. Neither a stream that was unsubscribed counts nor one of a closed client', async () => {
    const line = "trawler: the process ended with 2 open streams of a client that wasn't closed; let them end, or await client.close()\n";
    expect(await run('process.exit(7);')).toEqual({ code: 7, stderr: line });
  });

  it('says nothing if there are none', async () => {
    expect(await run('open[0].unsubscribe(); await other.close(); process.exit(0);')).toEqual({ code: 0, stderr: '' });
  });

  it('says nothing if a signal ended it', async () => {
    expect(await run('process.exit(130);')).toEqual({ code: 130, stderr: '' });
  });
});
