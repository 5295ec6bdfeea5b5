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
  it('takes a failure now and then for nothing', () => {
    expect(run(new OverloadSigns(), 'x....x....x.x....x')).toBe('-----');
  });

  it('takes the third of six for a sign', () => {
    expect(run(new OverloadSigns(), 'xxx')).toBe('--S');
    expect(run(new OverloadSigns(), 'x.x.x')).toBe('--S');
    expect(run(new OverloadSigns(), 'x...x.x')).toBe('---');
  });

  it('takes each one for a sign once slowing down has made them stop', () => {
    const signs = new OverloadSigns();
    run(signs, 'xxx');
    expect(run(signs, `${'.'.repeat(20)}x${'.'.repeat(20)}x`)).toBe('SS');
  });

  it('does not go on to when they come anyway', () => {
    const signs = new OverloadSigns();
    run(signs, `xxx${'.'.repeat(20)}`);
    expect(run(signs, 'x......x......x......x')).toBe('SS--');
  });
});
