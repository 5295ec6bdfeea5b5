import { describe, expect, it } from 'vitest';
import { OverloadSigns } from '../../../src/client/rate/InFlightLimit.ts';

function run(signs: OverloadSigns, outcomes: string): string {
  let said = '';
  for (const outcome of outcomes) {
    if (outcome === '.') signs.succeeded();
    else said += signs.failed() ? 'S' : '-';
  }
  return said;
}

describe('OverloadSigns', () => {
  it('ignores a failure now and then', () => {
    expect(run(new OverloadSigns(), 'x....x....x.x....x')).toBe('-----');
  });

  it('counts the third failure of six as a sign', () => {
    expect(run(new OverloadSigns(), 'xxx')).toBe('--S');
    expect(run(new OverloadSigns(), 'x.x.x')).toBe('--S');
    expect(run(new OverloadSigns(), 'x...x.x')).toBe('---');
  });

  it('counts a failure alone once slowing down has stopped them, and the next one after twice as many successes', () => {
    const signs = new OverloadSigns();
    run(signs, 'xxx');
    expect(run(signs, `${'.'.repeat(20)}x${'.'.repeat(40)}x${'.'.repeat(80)}x`)).toBe('SSS');
  });

  it('stops counting them when they occur anyway', () => {
    const signs = new OverloadSigns();
    run(signs, 'xxx');
    expect(run(signs, `${'.'.repeat(20)}x`.repeat(10))).toBe('S---------');
  });

  it('begins anew after several in a row', () => {
    const signs = new OverloadSigns();
    run(signs, `xxx${`${'.'.repeat(20)}x`.repeat(10)}`);
    expect(run(signs, `xx${'.'.repeat(20)}x`)).toBe('-SS');
  });
});
