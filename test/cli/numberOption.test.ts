import { describe, expect, it } from 'vitest';
import { number, whole } from '../../operators/options/kinds.ts';
import { numberOption } from '../../src/cli/parseOptions.ts';

describe('numberOption', () => {
  it('reads whole numbers, and others where they are allowed', () => {
    expect(numberOption('port', '8080', whole({ from: 1 }))).toBe(8080);
    expect(numberOption('price', '0.002', number({ from: 0 }))).toBe(0.002);
  });

  it.each(['', '0', '-1', '1.5', '1e9', '0x10', ' 1', 'NaN', '70000'])('refuses %j, naming option, range and value', (text) => {
    const port = whole({ from: 1, to: 65_535 });
    expect(() => numberOption('port', text, port)).toThrow(`--port is a whole number from 1 to 65535, not '${text}'.`);
  });
});
