import { answerTables, type AnswerTable } from './answerTables.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import type { Operation } from './Operation.ts';
import type { ObjectShape } from './Shape.ts';

/** The columns of the tables that a generated answer becomes. */
const shapes: { readonly [table in AnswerTable]: ObjectShape } = {
  blocks: {
    block: 'integer',
    entry: 'integer|null',
    type: 'string',
    level: 'integer|null',
    title: 'string|null',
    text: 'string',
    link: 'string|null',
    cites: 'string',
  },
  sources: {
    source: 'integer',
    title: 'string|null',
    link: 'string|null',
    domain: 'string|null',
    name: 'string|null',
    snippet: 'string|null',
    cited: 'integer',
  },
  citations: { block: 'integer', entry: 'integer|null', source: 'integer', link: 'string|null', domain: 'string|null' },
};

/** The tables that the answers of an operation become. Other operations have none. */
export function answerTablesOf({ spec }: Operation): readonly string[] {
  return spec.answer === undefined ? [] : Object.keys(shapes);
}

/** The same operation, but its rows are those of a table made from its answer. undefined: there is no such table. */
export function answerOperation(operation: Operation, table: string | undefined): Operation | undefined {
  const shape =
    table === undefined || operation.spec.answer === undefined ? undefined : (ownValue(shapes, table) as ObjectShape | undefined);
  if (shape === undefined) return undefined;
  return { ...operation, spec: { ...operation.spec, response: { [table!]: [shape] }, rows: table! } };
}

/** Returns a function that makes the rows of such a table from the data of a response. undefined: `table` is an ordinary list. */
export function answerRows({ spec: { answer } }: Operation, table: string | undefined): ((data: unknown) => readonly object[]) | undefined {
  if (answer === undefined || table === undefined || !Object.hasOwn(answerTables, table)) return undefined;
  return (data) => answerTables[table as AnswerTable](data, answer);
}
