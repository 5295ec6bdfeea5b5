import { describe, expect, it } from 'vitest';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { searchService } from '../../src/search/index.ts';

describe('searchService', () => {
  it.each(Object.entries(searchService.operations))('%s is what defineOperation takes', (_, operation) => {
    expect(defineOperation(operation.spec)).toEqual(operation);
  });

  it('is what defineService takes', () => {
    expect(defineService(searchService)).toEqual(searchService);
  });
});
