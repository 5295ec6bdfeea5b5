import { describe, expect, it } from 'vitest';
import { OverloadSigns } from '../../../src/client/rate/OverloadSigns.ts';

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

  it('counts each failure as a sign once slowing down has stopped them', () => {
    const signs = new OverloadSigns();
    run(signs, 'xxx');
    expect(run(signs, `${'.'.repeat(20)}x${'.'.repeat(20)}x`)).toBe('SS');
  });

  it('stops counting them when they occur anyway', () => {
    const signs = new OverloadSigns();
    run(signs, `xxx${'.'.repeat(20)}`);
    expect(run(signs, 'x......x......x......x')).toBe('SS--');
  });
});
