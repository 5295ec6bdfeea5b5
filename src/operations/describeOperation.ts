import type { Operation } from './contract/Operation.ts';
import type { ListOf } from './listsOf.ts';

/** An operation in words, for help and reference. */
export interface OperationDescription {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly path: string;
  readonly about: string;
  readonly params: readonly ParamDescription[];
  /** The rules between parameters, a sentence each. */
  readonly rules: readonly string[];
  readonly lists: readonly ListOf[];
  /** How a walk goes on, as a sentence. */
  readonly paging: string;
}

export interface ParamDescription {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly required: boolean;
  readonly default: string | number | boolean | undefined;
  /** What values are right, in words; empty where any will do. */
  readonly allowed: string;
  readonly about: string;
}

/** Describes an operation from its data. */
export function describeOperation(operation: Operation): OperationDescription {
  const { name, title, group, path, about } = operation.spec;
  return { name, title, group, path, about, params: [], rules: [], lists: [], paging: '' };
}
