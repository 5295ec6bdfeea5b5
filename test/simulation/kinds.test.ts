import { describe, expect, it } from 'vitest';
import { simulate } from './runCommand.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const times = long ? 150 : 1;

describe('simulate --of', () => {
  it.each([
    ['limits', 20],
    ['pipes', 100],
    ['queue', 15],
  ])('%s breaks no rule in %d worlds of the day, nor in old ones', async (kind, worlds) => {
    const { text, code } = await simulate('--of', kind, '--old', '--worlds', String(worlds * times));
    console.log(text.trim());
    expect(code, text).toBe(0);
  });

  it.each([
    ['limits', 'Retry-After pauses nobody but its own call', 'pause'],
    ['pipes', 'one stream more than allowed is open', 'error'],
    ['queue', 'the results of a finished run stay in Redis', 'left in Redis'],
  ])('finds a planted fault of %s: %s', async (kind, plant, rule) => {
    const { text, code } = await simulate('--of', kind, '--plant', plant, '--seed', '1', '--worlds', '200', '--brief');
    expect([code, text]).toEqual([1, expect.stringContaining(`breaks a rule: ${rule}: `)]);
  });
});
