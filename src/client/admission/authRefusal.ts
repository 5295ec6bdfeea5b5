import { AuthError } from '../../errors/index.ts';
import type { Refusal } from './Task.ts';

/** Refuses requests with a key that the service has rejected. */
export function authRefusal(status: number | undefined, code: number | string | undefined): Refusal {
  return (details) => {
    const what = `not sent, because the service refused the key (HTTP ${status}${status === 200 ? `, code ${code}` : ''}); check apiKey and make a new client`;
    return new AuthError(`${details.operation}: ${what}`, { ...details, status });
  };
}
