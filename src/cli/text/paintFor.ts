import type { Output } from '../Io.ts';

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

const coloured: Paint = { green: sgr(32, 39), amber: sgr(33, 39), red: sgr(31, 39), dim: sgr(2, 22), bold: sgr(1, 22) };

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

function sgr(on: number, off: number): (text: string) => string {
  return (text) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`);
}

function same(text: string): string {
  return text;
}
