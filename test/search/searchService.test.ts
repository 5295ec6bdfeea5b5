import { withoutOwnWords } from './withoutOwnWords.ts';
import { describe, expect, it } from 'vitest';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { searchService } from '../../src/search/index.ts';

describe('searchService', () => {
  it.each(Object.entries(searchService.operations))('%s is what defineOperation takes', (_, operation) => {
    const spec = withoutOwnWords(operation.spec);
    expect(withoutOwnWords(defineOperation(spec).spec)).toEqual(spec);
  });

  it('is what defineService takes', () => {
    expect(defineService(searchService)).toEqual(searchService);
  });
});
