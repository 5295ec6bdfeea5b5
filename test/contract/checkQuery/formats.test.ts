import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/contract/checkQuery/formats.ts';

const examples: { readonly [F in keyof typeof formats]: { readonly right: readonly string[]; readonly wrong: readonly string[] } } = {
  date: {
    right: ['2026-05-01', '2028-02-29', '0099-01-01'],
    wrong: ['2026-02-29', '2026-13-01', '2026-00-10', '2026-5-1', '20260501', '2026-05-01T00:00', ' 2026-05-01'],
  },
  compactDate: { right: ['20260501', '20280229'], wrong: ['20260229', '20261301', '2026-05-01', '2026501', '202605010'] },
  time: {
    right: ['2026-05-01', '2026-05-01T09:30:00Z', '2026-05-01T09:30+02:00', '2026-05-01T09:30:00.123-05:30'],
    wrong: ['2026-02-30', '2026-05-01T09:30:00', '2026-05-01 09:30:00Z', '20260501', '1777628700', 'now', '2026-02-30T00:00:00Z', ''],
  },
  url: {
    right: ['https://engine.example/x?y=1', 'http://127.0.0.1:80'],
    wrong: ['engine.example', '//x', 'ftp://x', 'https://', 'https://a b', ''],
  },
};

describe('formats', () => {
  describe.each(Object.entries(examples))('%s', (name, { right, wrong }) => {
    const format = formats[name as keyof typeof formats];
    const pattern = new RegExp(format.schema.pattern ?? '');

    it.each(right)('accepts %j', (text) => {
      expect(format.test(text)).toBe(true);
      expect(pattern.test(text)).toBe(true);
    });
    it.each(wrong)('refuses %j', (text) => expect(format.test(text)).toBe(false));
  });
});
