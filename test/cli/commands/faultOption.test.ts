import { describe, expect, it } from 'vitest';
import { faultOption } from '../../../src/cli/commands/sandbox.ts';

describe('faultOption', () => {
  it('reads a name and its options: numbers, lists, switches and text', () => {
    expect(faultOption('status,status=503,nth=[1,3],share=0.1,operation=mapsReviews')).toEqual({
      fault: 'status',
      status: 503,
      nth: [1, 3],
      share: 0.1,
      operation: 'mapsReviews',
    });
    expect(faultOption('reset')).toEqual({ fault: 'reset' });
  });

  it('refuses a fault without a name', () => {
    expect(() => faultOption('nth=1')).toThrow("It can't be 'nth=1'");
    expect(() => faultOption('')).toThrow('--fault is a name');
  });
});
