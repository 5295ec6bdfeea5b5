import type { TextForm } from '../contract/Param.ts';

/** What the texts of this service's parameters may be. */
export const forms = {
  year: byPattern('a year of four digits', '^[0-9]{4}$'),
  language: byPattern('a two-letter language code such as en, or zh-CN', '^[A-Za-z]{2}(-[A-Za-z]{2,4}|-[0-9]{3})?$'),
  country: byPattern('a two-letter country code such as us', '^[A-Za-z]{2}$'),
  currency: byPattern('a three-letter currency code such as USD', '^[A-Za-z]{3}$'),
  langRestrict: byPattern('of the form lang_en', '^lang_[A-Za-z]{2}(-[A-Za-z]{2,4})?(\\|lang_[A-Za-z]{2}(-[A-Za-z]{2,4})?)*$'),
  countryRestrict: byPattern('of the form countryFR', '^country[A-Za-z]{2}(\\|country[A-Za-z]{2})*$'),
  coordinates: {
    right: '@latitude,longitude,zoom, such as @40.74,-73.98,14z',
    test: coordinates,
    schema: { pattern: '^@-?[0-9]{1,2}(\\.[0-9]+)?,-?[0-9]{1,3}(\\.[0-9]+)?,[0-9]+(\\.[0-9]+)?[mz]?$' },
  },
  number: byPattern('a number as text, such as "12" or "12.5"', '^[0-9]+(\\.[0-9]+)?$'),
  count: byPattern('a whole number as text, such as "2"', '^[0-9]+$'),
  ages: byPattern('ages separated by commas, such as "5,9"', '^[0-9]{1,2}(,[0-9]{1,2})*$'),
  ids: byPattern('ids separated by commas, such as "33,67"', '^[0-9]+(,[0-9]+)*$'),
  citation: byPattern('of the form author_id:article_key', '^[^:,\\s]+:[^:,\\s]+$'),
} as const satisfies { readonly [form: string]: TextForm };

/** Some of these values, separated by commas. */
export function someOf(...values: readonly string[]): TextForm {
  const one = values.join('|');
  const form = byPattern('', `^(${one})(,(${one}))*$`);
  return { ...form, right: `one or more of ${values.map((value) => `"${value}"`).join(', ')}, separated by commas` };
}

function byPattern(right: string, pattern: string): TextForm {
  const expression = new RegExp(pattern);
  return { right, test: (text) => expression.test(text), schema: { pattern } };
}

function coordinates(text: string): boolean {
  const match = /^@(-?\d{1,2}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?),(\d+(?:\.\d+)?)([mz]?)$/.exec(text);
  if (match === null) return false;
  const [, latitude, longitude, zoom, unit] = match;
  return Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180 && (unit === 'm' || Number(zoom) <= 22);
}
