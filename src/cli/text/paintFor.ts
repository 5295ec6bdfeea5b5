import { styleText } from 'node:util';
import type { Output } from '../Command.ts';

/** Text in a colour, or unchanged without colours. */
export interface Paint {
  readonly green: (text: string) => string;
  readonly amber: (text: string) => string;
  readonly red: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** Leaves all text unchanged. */
export const plain: Paint = { green: same, amber: same, red: same, dim: same, bold: same };

const coloured: Paint = { green: style('green'), amber: style('yellow'), red: style('red'), dim: style('dim'), bold: style('bold') };

/**
 * Colours for an output: on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`. `FORCE_COLOR` decides first: `0` or
 * `false` turns colours off, anything else turns them on.
 */
export function paintFor(output: Output, env: { readonly [name: string]: string | undefined }): Paint {
  const force = env['FORCE_COLOR'];
  if (force !== undefined && force !== '') return force === '0' || force === 'false' ? plain : coloured;
  if (env['NO_COLOR'] || env['TERM'] === 'dumb') return plain;
  return output.isTTY === true ? coloured : plain;
}

/** Whether lines that were written can be changed: on a terminal that isn't `dumb`. */
export function isScreen(output: Output, env: { readonly [name: string]: string | undefined }): boolean {
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

function style(format: Parameters<typeof styleText>[0]): (text: string) => string {
  // `paintFor` has decided already; left alone, newer Nodes look at stdout
  return (text) => (text === '' ? '' : styleText(format, text, { validateStream: false }));
}

function same(text: string): string {
  return text;
}
