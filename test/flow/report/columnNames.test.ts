import { describe, expect, it } from 'vitest';
import { readingOrder } from '../../../src/flow/report/readingOrder.ts';

describe('readingOrder', () => {
  it.each([
    ['place_id data_id title latitude reviews rating hours website phone', 'title rating reviews phone website hours place_id data_id latitude'],
    ['city place link rating iso_date user.name snippet user.link', 'city place rating snippet iso_date user.name link user.link'],
    ['value date', 'value date'],
  ])('of %s is %s', (given, expected) => {
    expect(readingOrder(given.split(' ').map((name) => ({ name }))).map(({ name }) => name).join(' ')).toBe(expected);
  }); // prettier-ignore
});
