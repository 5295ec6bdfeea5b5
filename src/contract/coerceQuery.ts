import type { Operation } from './Operation.ts';

/**
 * Turns strings from a command line or a CSV file into a query: `'10'` becomes 10 where the parameter is an integer,
 * `'true'` true where it is a boolean. Anything ambiguous stays unchanged, so that `checkQuery` reports it.
 */
export function coerceQuery(
  operation: Operation,
  texts: { readonly [param: string]: string },
): { [param: string]: string | number | boolean } {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const type = Object.hasOwn(operation.params, name) ? operation.params[name]!.type : 'string';
      return [name, coerce(type, text)];
    }),
  );
}

function coerce(type: 'string' | 'integer' | 'boolean', text: string): string | number | boolean {
  if (type === 'integer' && /^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
