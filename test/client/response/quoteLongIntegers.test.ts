import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteLongIntegers } from '../../../src/client/response/quoteLongIntegers.ts';
import { anyText } from '../../anyText.ts';

describe('quoteLongIntegers', () => {
  it.each([
    ['{"id":12345678901234567890}', '{"id":"12345678901234567890"}'],
    ['{"id": -12345678901234567890 }', '{"id": "-12345678901234567890" }'],
    ['[9007199254740993,1]', '["9007199254740993",1]'],
    ['12345678901234567890', '"12345678901234567890"'],
    ['{"n":1e999}', '{"n":"1e999"}'],
    ['[-2E+400]', '["-2E+400"]'],
    ['1.5e400', '"1.5e400"'],
    ['{"n":\n 1e999}', '{"n":\n "1e999"}'],
    ['[1 ,1e999]', '[1 ,"1e999"]'],
    ['[12345678901234567890.0]', '["12345678901234567890.0"]'],
    ['[12345678901234567890e0,-12345678901234567890.0E+00]', '["12345678901234567890e0","-12345678901234567890.0E+00"]'],
    ['[12345678901234567890,1e400,-1e999]', '["12345678901234567890","1e400","-1e999"]'],
    ['{"a":"\\"","id":12345678901234567890}', '{"a":"\\"","id":"12345678901234567890"}'],
    ['{"a":"\\\\","id":12345678901234567890}', '{"a":"\\\\","id":"12345678901234567890"}'],
  ])('quotes what would be rounded in %s', (text, quoted) => expect(quoteLongIntegers(text)).toBe(quoted));

  it.each([
    '{"id":"12345678901234567890"}',
    '{"id":9007199254740991}',
    '{"id":1234567890123456}',
    '{"id":12345678901234567890.5}',
    '{"id":1234567890123456789e3}',
    '{"id":0.12345678901234567890}',
    '{"text":"see 12345678901234567890 and \\": 12345678901234567890"}',
    '"unterminated 12345678901234567890',
    '[012345678901234567890]',
    '{12345678901234567890:1}',
    '{12345678901234567890 :1}',
    '[12345678901234567890.]',
    '[-]',
    '{"id":"0x89c2598f:0x8e156"}',
  ])('leaves %s alone', (text) => expect(quoteLongIntegers(text)).toBe(text));

  it('changes nothing but integers that would be rounded, in any JSON', () => {
    const leaf = fc.oneof(
      anyText(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.boolean(),
    );
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(leaf, fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 })),
    })).value;
    const write = (value: unknown): string => {
      if (typeof value === 'bigint') return String(value);
      if (Array.isArray(value)) return `[${value.map(write).join(' , ')}]`;
      if (typeof value !== 'object' || value === null) return JSON.stringify(value);
      return `{${Object.entries(value)
        .map(([key, child]) => `${JSON.stringify(key)}: ${write(child)}`)
        .join(',\n')}}`;
    };
    const expected = (value: unknown): unknown => {
      if (typeof value === 'bigint') return value >= -(2n ** 53n) + 1n && value <= 2n ** 53n - 1n ? Number(value) : String(value);
      if (Array.isArray(value)) return value.map(expected);
      if (typeof value !== 'object' || value === null) return JSON.parse(JSON.stringify(value)) as unknown;
      return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, expected(child)]));
    };
    fc.assert(
      fc.property(tree, (value) => {
        expect(JSON.stringify(JSON.parse(quoteLongIntegers(write(value))))).toBe(JSON.stringify(expected(value)));
      }),
      { numRuns: 500 },
    );
  });

  it('takes time that grows with the text, even for one made to be slow', () => {
    const text = `{"a":"${'\\\\'.repeat(500_000)}","b":${'1'.repeat(500_000)}}`;
    expect(quoteLongIntegers(text).length).toBe(text.length + 2);
  });
});
