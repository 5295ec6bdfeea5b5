import { describe, expect, it } from 'vitest';
import { runInProcess } from '../runInProcess.ts';

describe('trawler worker', () => {
  it.each([
    [[], 'trawler worker needs a flow'],
    [['package.json'], 'trawler worker needs a queue: --queue QUEUE_URL'],
    [['a.json', '--queu', 'redis://x'], 'Did you mean --queue?'],
  ] as const)('refuses %j', async (argv, message) => {
    const { code, stderr } = await runInProcess(['worker', ...argv]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
