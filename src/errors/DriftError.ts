import { TrawlerError } from './TrawlerError.ts';

/** An answer that isn't shaped as documented; only with `validate: 'strict'`, or past the settable share. */
export class DriftError extends TrawlerError {
  override readonly name: string = 'DriftError';
}
