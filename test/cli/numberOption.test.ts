import { describe, expect, it } from 'vitest';
import { numberOption } from '../../src/cli/numberOption.ts';

describe('numberOption', () => {
  it('is undefined when nothing is given', () => {
    expect(numberOption('port', undefined)).toBeUndefined();
  });

  it('reads whole numbers, and others where they are allowed', () => {
    expect(numberOption('port', '8080')).toBe(8080);
    expect(numberOption('price', '0.002', { min: 0, whole: false })).toBe(0.002);
  });

  it.each(['', '0', '-1', '1.5', '1e9', '0x10', ' 1', 'NaN', '70000'])('refuses %j, naming option, range and value', (text) => {
    expect(() => numberOption('port', text, { max: 65_535 })).toThrow(`--port is a whole number from 1 to 65535, not '${text}'.`);
  });
});
