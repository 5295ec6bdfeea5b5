import type { ParamFormat, ParamSpec } from '../Param.ts';

/** How to check a format, and how to describe it. */
interface ParamCheck {
  /** A valid value, in words that follow "must be". */
  readonly right: string;
  readonly test: (text: string) => boolean;
  /** The JSON Schema of the format, as far as possible. */
  readonly schema: { readonly pattern?: string; readonly format?: string };
}

/** One entry per format. */
export const formats: { readonly [F in ParamFormat]: ParamCheck } = {
  date: {
    right: 'a day that exists, as YYYY-MM-DD',
    test: dayExists,
    schema: { format: 'date' },
  },
  compactDate: {
    right: 'a day that exists, as YYYYMMDD',
    test: (text) => /^\d{8}$/.test(text) && dayExists(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`),
    schema: { pattern: '^[0-9]{8}$' },
  },
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
  url: {
    right: 'an http or https URL',
    test: (text) => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text),
    schema: { format: 'uri' },
  },
};

function byPattern(right: string, pattern: string): ParamCheck {
  const expression = new RegExp(pattern);
  return { right, test: (text) => expression.test(text), schema: { pattern } };
}

function dayExists(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  // 2026-02-30 parses as 2 March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function coordinates(text: string): boolean {
  const match = /^@(-?\d{1,2}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?),(\d+(?:\.\d+)?)([mz]?)$/.exec(text);
  if (match === null) return false;
  const [, latitude, longitude, zoom, unit] = match;
  return Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180 && (unit === 'm' || Number(zoom) <= 22);
}

/** A valid value of a parameter, in words that follow "must be". */
export function rightValue(param: ParamSpec): string {
  if (param.type === 'boolean') return 'true or false';
  if (param.type === 'integer') return wholeNumber(param);
  if (param.type === 'number') return numberWithin(param, 'a number');
  if (param.type === 'object') return 'a JSON object';
  if (param.type === 'array') return 'a JSON list';
  if (param.type === 'strings') return `a list, each ${rightValue({ ...param, type: 'string' })}`;
  if (param.oneOf !== undefined) {
    const values = param.oneOf.map((value) => `"${value}"`).join(', ');
    if (param.several === true) return `one or more of ${values}, separated by commas`;
    return param.oneOf.length === 1 ? values : `one of ${values}`;
  }
  if (param.format !== undefined) return formats[param.format].right;
  return 'a text that is not empty';
}

function wholeNumber(param: ParamSpec): string {
  return numberWithin(param, param.step === undefined ? 'a whole number' : `a multiple of ${param.step}`);
}

function numberWithin({ min, max }: ParamSpec, kind: string): string {
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind}, ${min} or more`;
  return max === undefined ? kind : `${kind}, ${max} or less`;
}
