import type { Operation } from './Operation.ts';
import type { ParamType, QueryValue } from './Param.ts';

/**
 * Turns strings from a command line or a CSV file into a query: `'10'` becomes 10 where the parameter is an integer,
 * `'true'` true where it is a boolean, JSON an object or a list. Several strings are the entries of a list. Anything
 * ambiguous stays unchanged, so that `checkQuery` reports it.
 */
export function coerceQuery(
  operation: Operation,
  texts: { readonly [param: string]: string | readonly string[] },
): { [param: string]: QueryValue } {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const type = Object.hasOwn(operation.params, name) ? operation.params[name]!.type : 'string';
      return [name, typeof text === 'string' ? readers[type](text) : readAll(type, text)];
    }),
  );
}

const readers: { readonly [type in ParamType]: (text: string) => QueryValue } = {
  string: (text) => text,
  integer: (text) => (/^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text),
  number: (text) => (/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  strings: (text) => [text],
  object: readJson,
  array: readJson,
};

/** One text alone may be a whole list as JSON. */
function readAll(type: ParamType, texts: readonly string[]): QueryValue {
  if (type === 'strings') return texts;
  if (texts.length === 1) return readers[type](texts[0]!);
  return type === 'array' ? texts.map(readJson) : texts;
}

function readJson(text: string): QueryValue {
  try {
    return JSON.parse(text) as QueryValue;
  } catch {
    return text;
  }
}
