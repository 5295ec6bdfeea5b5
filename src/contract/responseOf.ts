import type { Operation } from './Operation.ts';
import type { Shape } from './Shape.ts';

/** The response that a query will get. */
export interface ResponseSpec {
  readonly response: Shape;
  /** The default path of the rows. Null: the response is the one row. */
  readonly list: string | null;
}

/** The shape of the response to a query: a variant if the query's parameter selects one, else the operation's own. */
export function responseOf({ spec }: Operation, query?: object): ResponseSpec {
  const { variants } = spec;
  if (variants === undefined || query === undefined) return spec;
  const value = (query as { readonly [param: string]: unknown })[variants.param];
  return variantFor(spec, value) ?? spec;
}

/** The variant of a response that a value of its parameter selects. */
export function variantFor({ variants }: Operation['spec'], value: unknown): ResponseSpec | undefined {
  if (variants === undefined || typeof value !== 'string' || value === '') return undefined;
  return Object.hasOwn(variants.values, value) ? variants.values[value] : variants.values['*'];
}
