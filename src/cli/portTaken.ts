import { UsageError } from './Command.ts';

/** Throws a UsageError if the error says that a port is in use, else the error itself. */
export function portTaken(error: Error & { readonly code?: string; readonly port?: number }): never {
  if (error.code !== 'EADDRINUSE') throw error;
  throw new UsageError(`The port ${error.port} is in use.`, { hint: 'Choose another --port, or leave it out for a free one.' });
}
