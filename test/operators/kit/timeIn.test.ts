import { describe, expect, it } from 'vitest';
import { timeIn } from '../../../operators/kit/writeTime.ts';

describe('timeIn', () => {
  const at = Date.parse('2023-11-14T22:13:20Z');
  it.each<[unknown, number]>([
    [at / 1000, at],
    [at, at],
    [`${at / 1000}`, at],
    [`${at / 1000}.5`, at + 500],
    [`${at}`, at],
    [new Date(at), at],
    ['2023-11-14T22:13:20Z', at],
    ['2023', Date.parse('2023-01-01')],
    ['20231114', Number.NaN],
    ['3 days ago', Number.NaN],
    ['May 3', Number.NaN],
    [null, Number.NaN],
    [{}, Number.NaN],
  ])('%o is at %d', (value, time) => {
    expect(timeIn(value)).toBe(time);
  });
});
