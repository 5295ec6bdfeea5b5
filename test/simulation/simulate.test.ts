import { describe, expect, it } from 'vitest';
import { simulate } from './runCommand.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const count = long ? 3000 : 20;

describe('simulate', () => {
  it(`breaks no rule in ${count} worlds of the day, nor in old ones`, async () => {
    const { text, code } = await simulate('--old', '--worlds', String(count));
    console.log(text.trim());
    expect(code, text).toBe(0);
  });

  it('tells the same story for the same seed', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => simulate('--seed', '1', '--worlds', '2', '--digest')));
    const digest = /^digest: [0-9a-f]{64}$/m;
    expect(digest.exec(first!.text)?.[0]).toBeDefined();
    expect(digest.exec(first!.text)?.[0]).toBe(digest.exec(second!.text)?.[0]);
  });

  it('finds a planted fault, and says with which seed, the smallest world, and its story', async () => {
    const { text, code } = await simulate(
      '--plant',
      'a journal is replaced while it is open, at the end of an update',
      '--seed',
      '1',
      '--worlds',
      '500',
    );
    expect([code, text]).toEqual([1, expect.stringMatching(/breaks a rule: reason: .*EPERM/)]);
    expect(text).toMatch(/process 1: requests \/op0/);
    expect(text).toMatch(/Once more: npm run simulate -- --seed \d+/);
    expect(text).toMatch(/\['', '\{"seed":\d+,.*"windows":true,"life":\[\]\}'\],/);
  });
});
