import type { Operation } from './contract/Operation.ts';

/** A JSON Schema (2020-12), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The shape of an operation's `data` as JSON Schema; fields that aren't documented are allowed everywhere. */
export function answerJsonSchema(operation: Operation): JsonSchema {
  void operation;
  return {};
}
