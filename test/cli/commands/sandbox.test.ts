import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { runInProcess } from '../runInProcess.ts';

describe('trawler sandbox', () => {
  it('serves until it is stopped, and prints the environment variables to use it with', async () => {
    const stop = new AbortController();
    const running = runInProcess(['sandbox', '--seed', 'x', '--rate-limit', '5', '--retry-after', '--latency-ms', '0-1'], {
      signal: stop.signal,
    });
    setTimeout(() => stop.abort('SIGINT'), 50);
    const { code, stdout, stderr } = await running;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^export TRAWLER_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport TRAWLER_API_KEY=\S+\n$/);
    expect(stderr).toContain('It received 0 requests.');
  });

  it('prints the variables of a vendor, so that nobody sends requests to the real one', async () => {
    const signal = AbortSignal.abort('SIGINT');
    const { stdout } = await runInProcess(['sandbox', '--service', 'serper'], { signal });
    expect(stdout).toMatch(/^export SERPER_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport SERPER_API_KEY=\S+\n$/);
  });

  it('says that a port is in use', async () => {
    const sandbox = await startSandbox();
    const { port } = new URL(sandbox.url);
    const { code, stderr } = await runInProcess(['sandbox', '--port', port]);
    await sandbox.close();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`The port ${port} is in use.`)]);
  });

  it.each([
    [['--port', '70000'], '--port is a whole number from 0 to 65535'],
    [['--prot', '1'], 'Did you mean --port?'],
    [['here'], "not 'here'"],
    [['--works', '0'], '--works is a whole number from 1 to 50000'],
    [['--day', 'x'], '--day is a whole number from 0 to 3650'],
    [['--latency-ms', 'slow'], '--latency-ms is a number'],
    [['--rate-limit', 'x'], '--rate-limit is a number of requests a second'],
    [['--fault', 'nosuchfault'], "no fault is called 'nosuchfault'"],
    [['--fault', 'status,stauts=503'], "there is no option 'stauts'; did you mean 'status'?"],
    [['--fault', 'status,status=503,sahre=0.1'], "there is no option 'sahre'; did you mean 'share'?"],
  ] as const)('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await runInProcess(['sandbox', ...argv]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
