import type { Operation } from './Operation.ts';
import type { Shape } from './Shape.ts';

/** What a query will be answered with. */
export interface AnswerOf {
  readonly answer: Shape;
  /** Where the rows are, unless told otherwise; null: the answer is the one row. */
  readonly list: string | null;
}

/** The shape of the answer to a query: a variant where the query's parameter picks one, else the operation's own. */
export function answerOf({ spec }: Operation, query?: object): AnswerOf {
  const { variants } = spec;
  if (variants === undefined || query === undefined) return spec;
  const value = (query as { readonly [param: string]: unknown })[variants.param];
  return variantFor(spec, value) ?? spec;
}

/** The variant of an answer that a value of its parameter picks. */
export function variantFor({ variants }: Operation['spec'], value: unknown): AnswerOf | undefined {
  if (variants === undefined || typeof value !== 'string' || value === '') return undefined;
  return Object.hasOwn(variants.values, value) ? variants.values[value] : variants.values['*'];
}
