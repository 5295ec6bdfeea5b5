import { describe, expect, it } from 'vitest';
import { forms } from '../../src/search/forms.ts';

const examples: { readonly [F in keyof typeof forms]: { readonly right: readonly string[]; readonly wrong: readonly string[] } } = {
  year: { right: ['2021'], wrong: ['21', '20211', '2021 ', 'MMXX'] },
  language: { right: ['en', 'zh-CN', 'es-419'], wrong: ['english', 'e', 'en_US', 'en-', ''] },
  country: { right: ['us', 'uk', 'DE'], wrong: ['usa', 'u', 'u1', ''] },
  currency: { right: ['USD', 'EUR'], wrong: ['$', 'US', 'EURO', ''] },
  langRestrict: { right: ['lang_en', 'lang_zh-TW', 'lang_en|lang_fr'], wrong: ['en', 'lang_', 'lang_english', 'lang_en,lang_fr'] },
  countryRestrict: { right: ['countryFR', 'countryFR|countryDE'], wrong: ['FR', 'country', 'countryFRA', 'country FR'] },
  coordinates: {
    right: ['@40.74,-73.98,14z', '@-90,180,3z', '@0,0,14', '@51.5,0.1,20000m', '@40.7,-74,15.1z'],
    wrong: ['40.74,-73.98,14z', '@90.1,0,14z', '@0,180.5,14z', '@0,0', '@0,0,99z', '@0,0,z', '@a,b,14z', '@0, 0, 14z', ''],
  },
  number: { right: ['12', '12.5', '0'], wrong: ['-1', '1e3', '12.', '.5', '12 ', 'Infinity', ''] },
  count: { right: ['0', '12'], wrong: ['-1', '1.5', ''] },
  ages: { right: ['5', '5,9,12', '0'], wrong: ['5,', ',5', '5, 9', '5;9', 'five', '100', ''] },
  ids: { right: ['33', '33,67,101'], wrong: ['33,', '33 67', 'a', ''] },
  citation: { right: ['abc_D-1:xYz'], wrong: ['abc', 'abc:', ':abc', 'a:b,c:d', 'a b:c'] },
};

describe('the forms of texts', () => {
  describe.each(Object.entries(examples))('%s', (name, { right, wrong }) => {
    const format = forms[name as keyof typeof forms];
    const pattern = new RegExp(format.schema.pattern ?? '');

    it.each(right)('accepts %j', (text) => {
      expect(format.test(text)).toBe(true);
      expect(pattern.test(text)).toBe(true);
    });
    it.each(wrong)('refuses %j', (text) => expect(format.test(text)).toBe(false));
  });
});
