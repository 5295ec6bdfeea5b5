import type { OptionKind } from '../../operators/options/index.ts';
import type { Io } from './Io.ts';

/** One option of a command. */
interface OptionSpec {
  /** `'boolean'`: a switch. */
  readonly type: 'string' | 'boolean';
  /** The value's name in the help. Every `'string'` has one. */
  readonly value?: string;
  /** The value is a number of this kind. */
  readonly number?: OptionKind<number>;
  readonly about: string;
  /** Can be repeated. */
  readonly multiple?: true;
}

export interface OptionTable {
  readonly [name: string]: OptionSpec;
}

export type OptionValues<T extends OptionTable = OptionTable> = {
  readonly [K in keyof T]?: T[K]['type'] extends 'boolean'
    ? boolean
    : T[K] extends { readonly multiple: true }
      ? readonly string[]
      : T[K] extends { readonly number: OptionKind<number> }
        ? number
        : string;
};

/** One command: its help as data, and its function. */
export interface Command {
  readonly name: string;
  /** Its place in the overview, and its line there. `npm run docs` writes `commands.ts` from it. */
  readonly overview: readonly [place: number, about: string];
  /** The text after the name: `FLOW [options]`. */
  readonly usage: string;
  /** A paragraph. */
  readonly about: string;
  readonly options: OptionTable;
  /** Complete command lines, each with its effect. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  /** It has help of its own for what its first argument names. */
  readonly helpByName?: true;
  /** `argv` holds the arguments after the command's name. Resolves to the exit code. */
  readonly run: (argv: readonly string[], io: Io) => Promise<number>;
}
