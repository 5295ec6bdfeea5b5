import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { namesServer } from '../../operators/kit/parsedUrl.ts';
import { sha256 } from '../files/blocks.ts';

/** A request that isn't served: its status, and what to do. */
interface RefusedRequest {
  readonly status: 401 | 403 | 404 | 405;
  readonly text: string;
}

export interface Admitted {
  readonly token: string;
  /** The `--host` that was given. */
  readonly host: string;
  /** Whether other machines may connect. */
  readonly exposed: boolean;
}

/**
 * Why a request is refused. undefined: it isn't. Three things must be right. The Host header must name this server, which stops DNS
 * rebinding: a foreign name that resolves to this machine. A request that changes something must come from this page. And every request
 * must have the token.
 */
export function refusal(request: IncomingMessage, params: URLSearchParams, admitted: Admitted): RefusedRequest | undefined {
  if (!namesServer(request.headers.host, admitted.host, admitted.exposed))
    return { status: 403, text: 'This page is served under its own address only. Use the one that the command printed.' };
  if (request.method !== 'GET' && request.method !== 'POST') return { status: 405, text: 'Only GET and POST are served.' };
  const { origin } = request.headers;
  const isForeign = origin !== undefined && origin !== `http://${request.headers.host}`;
  if (isForeign || (request.method === 'POST' && origin === undefined))
    return { status: 403, text: 'The request comes from another page.' };
  if (!isSame(params.get('token') ?? '', admitted.token))
    return { status: 401, text: 'The token is missing or wrong. Open the address that the command printed, with its token.' };
  return undefined;
}

/** Compares two texts in constant time, so that timing tells nothing about the token. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => sha256().update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
