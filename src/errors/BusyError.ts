import { SinkError } from './SinkError.ts';
import type { ErrorDetails } from './TrawlerError.ts';

/** Another process writes there right now. */
export class BusyError extends SinkError {
  override readonly name: string = 'BusyError';
  /** That process isn't one of this machine, so only what it says of itself tells whether it is alive. */
  declare readonly elsewhere?: boolean;

  constructor(message: string, details: ErrorDetails & { readonly elsewhere?: boolean } = {}) {
    super(message, details);
  }
}
