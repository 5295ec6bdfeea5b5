import type { Io } from './Io.ts';

/** One option of a command. */
export interface OptionSpec {
  /** `'boolean'`: a switch. */
  readonly type: 'string' | 'boolean';
  /** The value's name in the help; every `'string'` has one. */
  readonly value?: string;
  readonly about: string;
  /** May be given several times. */
  readonly multiple?: true;
}

export interface OptionTable {
  readonly [name: string]: OptionSpec;
}

/** What was given for the options of a table. */
export type OptionValues<T extends OptionTable = OptionTable> = {
  readonly [K in keyof T]?: T[K]['type'] extends 'boolean'
    ? boolean
    : T[K] extends { readonly multiple: true }
      ? readonly string[]
      : string;
};

/** One command: its help as data, and what it does. */
export interface Command {
  readonly name: string;
  /** What follows the name: `FLOW [options]`. */
  readonly usage: string;
  /** A paragraph. */
  readonly about: string;
  readonly options: OptionTable;
  /** Whole command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  /** `argv` is what follows the command's name. The result is the exit code. */
  readonly run: (argv: readonly string[], io: Io) => Promise<number>;
}
