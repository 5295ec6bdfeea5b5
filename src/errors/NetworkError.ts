import { TrawlerError } from './TrawlerError.ts';

/** The connection failed: name not found, refused, reset, closed, TLS, rubbish instead of HTTP. */
export class NetworkError extends TrawlerError {
  override readonly name: string = 'NetworkError';
}
