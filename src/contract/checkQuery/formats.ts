import { isDay } from '../../../operators/kit/days.ts';
import { givenTime } from '../../../operators/kit/writeTime.ts';
import { parsedUrl } from '../../../operators/kit/parsedUrl.ts';
import type { ParamFormat, ParamSpec, TextForm } from '../Param.ts';

export const formats: { readonly [F in ParamFormat]: TextForm } = {
  date: {
    right: 'a day that exists, as YYYY-MM-DD',
    test: isDay,
    schema: { format: 'date' },
  },
  compactDate: {
    right: 'a day that exists, as YYYYMMDD',
    test: (text) => /^\d{8}$/.test(text) && isDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`),
    schema: { pattern: '^[0-9]{8}$' },
  },
  time: {
    right: 'a day that exists, as YYYY-MM-DD, or a time such as 2026-01-31T09:00:00Z',
    test: (text) => givenTime(text) !== undefined,
    schema: { pattern: String.raw`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$` },
  },
  url: {
    right: 'an http or https URL',
    test: (text) => /^https?:\/\/[^\s]+$/i.test(text) && parsedUrl(text) !== undefined,
    schema: { format: 'uri' },
  },
};

/** The check of the text of a parameter. undefined: any text is right. */
export function formOf({ format, form }: ParamSpec): TextForm | undefined {
  return format === undefined ? form : formats[format];
}

/** What a value of a parameter must be, in words that follow "must be". */
export function rightValue(param: ParamSpec): string {
  if (param.type === 'boolean') return 'true or false';
  if (param.type === 'integer') return wholeNumber(param);
  if (param.type === 'number') return numberWithin(param, 'a number');
  if (param.type === 'object') return 'a JSON object';
  if (param.type === 'array') return 'a JSON list';
  if (param.type === 'strings') return `a list, each ${rightValue({ ...param, type: 'string' })}`;
  if (param.oneOf !== undefined) {
    const values = param.oneOf.map((value) => `"${value}"`).join(', ');
    return param.oneOf.length === 1 ? values : `one of ${values}`;
  }
  return formOf(param)?.right ?? 'a text that is not empty';
}

function wholeNumber(param: ParamSpec): string {
  return numberWithin(param, param.step === undefined ? 'a whole number' : `a multiple of ${param.step}`);
}

function numberWithin({ min, max }: ParamSpec, kind: string): string {
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind}, ${min} or more`;
  return max === undefined ? kind : `${kind}, ${max} or less`;
}
