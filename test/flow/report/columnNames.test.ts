import { describe, expect, it } from 'vitest';
import { coordinatesIn, readingOrder } from '../../../src/flow/report/columnNames.ts';

describe('readingOrder', () => {
  it.each([
    ['place_id data_id title latitude reviews rating hours website phone', 'title rating reviews phone website hours place_id data_id latitude'],
    ['city place link rating iso_date user.name snippet user.link', 'city place rating snippet iso_date user.name link user.link'],
    ['value date', 'value date'],
  ])('of %s is %s', (given, expected) => {
    expect(readingOrder(given.split(' ').map((name) => ({ name }))).map(({ name }) => name).join(' ')).toBe(expected);
  }); // prettier-ignore
});

describe('coordinatesIn', () => {
  it.each([
    ['title lat lng', 'lat lng'],
    ['GPS.Latitude lon gps.longitude', 'GPS.Latitude gps.longitude'],
    ['flat long', undefined],
  ])('of %s are %s', (given, expected) => {
    expect(coordinatesIn(given.split(' '))?.join(' ')).toBe(expected);
  });
});
