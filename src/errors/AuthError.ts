import { HttpError } from './HttpError.ts';

/** 401 or 403: the key is missing, wrong or not allowed. The client asks for nothing more with it. */
export class AuthError extends HttpError {
  override readonly name: string = 'AuthError';
}
