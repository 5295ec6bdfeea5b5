import { describe, expect, it } from 'vitest';
import { roundBars } from '../../../src/show/data/roundBars.ts';

const at = (text: string): number => Date.parse(text) / 1000;

describe('roundBars', () => {
  it.each([
    ['whole numbers, one each', 'integer', 1, 5, 5, '1', '5'],
    ['many whole numbers', 'integer', 0, 987, 20, '0 to 50', '950 to 1000'],
    ['numbers', 'number', 3.1, 4.93, 19, '3.1 to 3.2', '4.9 to 5'],
    ['small numbers', 'number', -0.0003, 0.0011, 15, '-0.0003 to -0.0002', '0.0011 to 0.0012'],
    ['one number', 'number', 7, 7, 1, '7 to 8', '7 to 8'],
    ['hours', 'timestamp', at('2026-05-01T09:30:00Z'), at('2026-05-01T20:10:00Z'), 12, '2026-05-01 09:00', '2026-05-01 20:00'],
    ['days', 'date', at('2026-04-20'), at('2026-05-03'), 14, '2026-04-20', '2026-05-03'],
    ['months', 'timestamp', at('2023-02-14'), at('2026-05-03'), 40, '2023-02', '2026-05'],
    ['years', 'date', at('1991-02-14'), at('2026-05-03'), 36, '1991', '2026'],
    ['centuries', 'date', at('1066-01-01'), at('2026-05-03'), 69, '1066', '2018'],
  ])('has round bars for %s', (_, type, min, max, count, first, last) => {
    const bars = roundBars(type, min, max);
    const named = ({ from, to }: (typeof bars)[number]): string => (from === to ? from : `${from} to ${to}`);
    expect([bars.length, named(bars[0]!), named(bars.at(-1)!)]).toEqual([count, first, last]);
    expect(bars[0]!.start).toBeLessThanOrEqual(min);
  });
});
