import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../runInProcess.ts';

describe('trawler show', () => {
  it.each(['0.0.0.0', '192.168.0.1', '::'])('does not listen on %s unless --expose says so', async (host) => {
    const { code, stdout, stderr } = await runInProcess(['show', tmpdir(), '--host', host]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/lets other machines connect[^]*Add --expose/);
  });

  it('refuses a folder that is not there, and a second one', async () => {
    expect((await runInProcess(['show', '/no/such/folder'])).stderr).toContain('There is no folder /no/such/folder');
    expect((await runInProcess(['show', tmpdir(), 'other'])).code).toBe(2);
  });
});
