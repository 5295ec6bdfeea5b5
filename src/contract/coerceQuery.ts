import { memoizePer } from '../../operators/kit/once.ts';
import type { Operation } from './Operation.ts';
import type { ParamType, QueryValue } from './Param.ts';
import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { jsonOrText } from '../../operators/kit/parsedJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { pagingRequestOf } from './PagingRequest.ts';

/**
 * Turns strings from a command line or a CSV file into a query. For an integer, `'10'` becomes 10. For a boolean, `'true'` becomes true.
 * For an object or a list, JSON is parsed. Several strings become the entries of a list. Anything else stays as it is, so that
 * `checkQuery` reports it.
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

/** A single text may be a whole list as JSON. */
function readAll(type: ParamType, texts: readonly string[]): QueryValue {
  if (type === 'strings') return texts;
  if (texts.length === 1) return readers[type](texts[0]!);
  return type === 'array' ? texts.map(readJson) : texts;
}

function readJson(text: string): QueryValue {
  return jsonOrText(text) as QueryValue;
}

/**
 * The canonical form of a query, which is the same for equivalent queries: parameters sorted by name, defaults removed, values as text,
 * percent-encoded.
 */
export function canonicalQuery(operation: Operation, query: object): string {
  const search = new URLSearchParams();
  for (const [param, normal] of paramsOf(operation)) {
    const value = ownValue(query, param);
    if (value === undefined) continue;
    const text = textOfValue(value);
    if (text !== normal) search.append(param, text);
  }
  return search.toString();
}

/** The parameters of an operation by name, each with its default as text. */
const paramsOf = memoizePer((operation: Operation) => {
  const names = [...new Set([...Object.keys(operation.params), ...pagingRequestOf(operation.spec.paging).writes])].sort();
  return names.map((name) => [name, defaultOf(operation, name)] as const);
});

function defaultOf({ params }: Operation, name: string): string | undefined {
  const normal = ownValue(params, name)?.default;
  return normal === undefined ? undefined : String(normal);
}
