import { describe, expect, it } from 'vitest';
import { unreadList } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';

const { hotelSearch, aiMode } = operations;

describe('unreadList', () => {
  it('names the longest undocumented list of objects that is longer than the rows read', () => {
    const data = { ads: [{}], brands: [{}, {}, {}, {}], few: [{}, {}], properties: [{}, {}, {}], texts: ['a', 'b', 'c', 'd'] };
    expect(unreadList(hotelSearch, data, 'ads')).toEqual({ list: 'properties', items: 3 });
    expect(unreadList(hotelSearch, data, 'properties')).toBeUndefined();
  });

  it('looks in the objects of a response without the expected list, and names no documented one', () => {
    const data = { payload: { stations: [{}, {}], few: [{}] }, brands: [{}, {}, {}] };
    expect(unreadList(hotelSearch, data, 'properties')).toEqual({ list: 'payload.stations', items: 2 });
    expect(unreadList(hotelSearch, { ...data, properties: [] }, 'properties')).toBeUndefined();
  });

  it('says nothing when the rows are more', () => {
    expect(unreadList(hotelSearch, { ads: [{}, {}], properties: [{}, {}] }, 'ads')).toBeUndefined();
  });

  it('says nothing where the response is the one row, or no object', () => {
    expect(unreadList(aiMode, { others: [{}, {}] }, null)).toBeUndefined();
    expect(unreadList(hotelSearch, null, 'ads')).toBeUndefined();
  });
});
