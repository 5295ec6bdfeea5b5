import { describe, expect, it } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { simulate } from './runCommand.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const times = long ? 300 : 1;
/** So many worlds of each kind. Of those that broke a rule once one in ten comes every day. */
const part = long ? [] : ['--tenth'];
const worlds = [['flows', 10], ['limits', 10], ['pipes', 50], ['queue', 8]] as const; // prettier-ignore
const played = worlds.map(([kind, count]) => ['--of', kind, '--old', ...part, '--worlds', String(count * times)]);
const told = ['--seed', '1', '--worlds', '2', '--digest'];

/** One of each kind. */
const planted = [
  { of: 'flows', plant: 'a journal is replaced while it is open, at the end of an update', rule: 'reason: .*EPERM' },
  { of: 'limits', plant: 'Retry-After pauses nobody but its own call', rule: 'pause: ' },
  { of: 'pipes', plant: 'one stream more than allowed is open', rule: 'error: ' },
  { of: 'queue', plant: 'the results of a finished run stay in Redis', rule: 'left in Redis: ' },
];

describe('simulate', () => {
  it('breaks no rule in worlds of the day, nor in old ones, and tells the same story for the same seed, whatever was played before', async () => {
    const { text, code } = await simulate(...[told, ...played, told].flatMap((one) => [...one, '--']).slice(0, -1));
    console.log(text.trim());
    expect(code, text).toBe(0);
    expect(text.match(/^\d+ worlds from seed/gm)).toHaveLength(worlds.length + 2);
    const digests = text.match(/^digest: [0-9a-f]{64}$/gm);
    expect(digests).toEqual([digests![0], digests![0]]);
  });

  it.each(ofTheDay(planted, 1))('finds a planted fault of $of: $plant', async ({ of, plant, rule }) => {
    const isTold = of === 'flows';
    const { text, code } = await simulate('--of', of, '--plant', plant, '--seed', '1', '--worlds', '500', ...(isTold ? [] : ['--brief']));
    expect([code, text]).toEqual([1, expect.stringMatching(`breaks a rule: ${rule}`)]);
    if (!isTold) return;
    // with which seed, the smallest world, and its story
    expect(text).toMatch(/process 1: requests \/op0/);
    expect(text).toMatch(/Once more: npm run simulate -- --seed \d+/);
    expect(text).toMatch(/\['', '\{"seed":\d+,.*"windows":true,"life":\[\]\}'\],/);
  });
});
