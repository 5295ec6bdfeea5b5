import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adviceOf } from '../../src/cli/mcp/tools.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { runInProcess } from './runInProcess.ts';

describe('a key or an address that is wrong', () => {
  let folder: string;
  let flow: string;
  let website: Server;
  let html: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-wrong-'));
    flow = join(folder, 'coffee.json');
    const query = Array.from({ length: 6 }, (_, nth) => `coffee ${nth}`);
    await writeFile(
      flow,
      JSON.stringify({ name: 'coffee', stages: { words: { call: 'autocomplete', with: { query }, to: 'words.jsonl' } } }),
    );
    website = createServer((_, response) => response.end('\n<!DOCTYPE html>\n<html><title>Hello</title></html>')).listen(0, '127.0.0.1');
    await new Promise((resolve) => website.once('listening', resolve));
    html = `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    website.close();
    await rm(folder, { recursive: true, force: true });
  });
  const env = { PATH: process.env['PATH']!, TRAWLER_API_KEY: 'k' };

  it('of a run that has begun interrupts it: all is said, and the same command resumes it', async () => {
    await using sandbox = await startSandbox({ apiKey: 'k', faults: [{ fault: 'status', status: 401, nth: 3 }] });
    const told = join(folder, 'told');
    const argv = ['run', flow, '--out', join(folder, 'out'), '--base-url', sandbox.url, '--concurrency', '1', '--on-end', `cat > ${told}`];
    const first = await runInProcess(argv, { env });
    expect([first.code, first.stderr]).toEqual([
      130,
      expect.stringMatching(/coffee: interrupted .*2 requests|coffee: interrupted .*3 requests/),
    ]);
    expect(first.stderr).toMatch(/HTTP 401;[^]*check TRAWLER_API_KEY[^]*Resume:\s+trawler run /);
    expect(JSON.parse(await readFile(told, 'utf8'))).toMatchObject({
      event: 'end',
      exitCode: 130,
      text: expect.stringMatching(/coffee: interrupted .*HTTP 401/) as string,
      outcome: 'interrupted',
      because: expect.stringContaining('HTTP 401') as string,
      requests: 3,
      stages: [{ name: 'words', done: 2 }],
    });
    const second = await runInProcess(argv, { env });
    expect([second.code, sandbox.count()]).toEqual([0, 3 + 4]);
  });

  it.each([['run'], ['check'], ['call']])('is bad input of %s while nothing has come', async (command) => {
    await using sandbox = await startSandbox();
    const what =
      command === 'call' ? ['autocomplete', '--query', 'x'] : [flow, ...(command === 'run' ? ['--out', join(folder, 'none')] : [])];
    const key = await runInProcess([command, ...what, '--base-url', sandbox.url], { env });
    expect([key.code, key.stderr]).toEqual([2, expect.stringContaining('check TRAWLER_API_KEY')]);
    const address = await runInProcess([command, ...what, '--base-url', html], { env });
    expect([address.code, address.stderr]).toEqual([2, expect.stringContaining('the response is a web page, not JSON')]);
    expect(address.stderr).toContain('check --base-url (or TRAWLER_BASE_URL) and --path-prefix');
  });

  it('leaves no folder behind that the run has made, and what was there before as it was', async () => {
    await using sandbox = await startSandbox();
    const outs = ['new/inner', 'mine'].map((name) => join(folder, name));
    await mkdir(outs[1]!);
    await writeFile(join(outs[1]!, 'notes.txt'), 'my own');
    for (const out of outs) expect((await runInProcess(['run', flow, '--out', out, '--base-url', sandbox.url], { env })).code).toBe(2);
    expect([existsSync(join(folder, 'new')), await readFile(join(outs[1]!, 'notes.txt'), 'utf8')]).toEqual([false, 'my own']);
  });

  it.each([['run'], ['check'], ['call']])('is bad input of %s, too, where there is nothing at its paths', async (command) => {
    await using sandbox = await startSandbox({ apiKey: 'k', faults: [{ fault: 'status', status: 404 }] });
    const what =
      command === 'call' ? ['autocomplete', '--query', 'x'] : [flow, ...(command === 'run' ? ['--out', join(folder, 'nowhere')] : [])];
    const { code, stderr } = await runInProcess([command, ...what, '--base-url', sandbox.url], { env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/HTTP 404.*check --base-url \(or TRAWLER_BASE_URL\) and --path-prefix/) as string,
    ]);
  });

  it('is mended with the same command, and a first 404 alone is a query that failed', async () => {
    await using nowhere = await startSandbox({ apiKey: 'k', faults: [{ fault: 'status', status: 404 }] });
    await using sandbox = await startSandbox({ apiKey: 'k', faults: [{ fault: 'status', status: 404, nth: [1] }] });
    const argv = ['run', flow, '--out', join(folder, 'mended'), '--concurrency', '1', '--base-url'];
    expect((await runInProcess([...argv, nowhere.url], { env })).code).toBe(2);
    const { code, stderr } = await runInProcess([...argv, sandbox.url], { env });
    expect([code, nowhere.count(), sandbox.count()]).toEqual([1, 5, 6]);
    expect(stderr).toMatch(/1 query failed/);
  });

  it('of an option has the nearest right one', async () => {
    const { code, stderr } = await runInProcess(['run', flow, '--maxrequests', '5'], { env });
    expect([code, stderr]).toEqual([2, 'trawler: trawler run has no option --maxrequests.\n  Did you mean --max-requests?\n']);
  });

  it('says what to do in the words of a run, too', async () => {
    await using sandbox = await startSandbox({ apiKey: 'k', faults: [{ fault: 'status', status: 404, nth: [2] }] });
    const { stderr } = await runInProcess(['run', flow, '--out', join(folder, 'missing'), '--base-url', sandbox.url], { env });
    expect(stderr).toContain('--base-url');
    expect(stderr).not.toMatch(/baseUrl|pathPrefix/);
  });

  it('leaves no command without its line in what an agent reads', () => {
    expect(adviceOf({ text: 'Resume:', command: 'trawler run x' })).toEqual([]);
    expect(adviceOf({ text: 'The quote 3f is used up. Resume:', command: 'trawler run x' })).toEqual(['The quote 3f is used up.']);
    expect(adviceOf({ text: '2 queries failed. Retry:', command: 'x' })).toEqual(['2 queries failed.']);
    expect(adviceOf({ text: 'words: few rows.' })).toEqual(['words: few rows.']);
  });
});
