import type { Dispatcher } from 'undici';
import type { IncomingHttpHeaders } from 'node:http';
import { networkFailure } from '../attempt/networkFailure.ts';
import type { AttemptFailure } from '../attempt/AttemptFailure.ts';
import { Exchange } from '../attempt/Exchange.ts';
import { failurePolicy } from '../attempt/failurePolicy.ts';
import { parseRetryAfter } from '../attempt/parseRetryAfter.ts';
import type { Service } from '../../contract/index.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { decodeBody } from '../response/decodeBody.ts';
import { beginningOf } from '../response/printable.ts';
import { version } from '../version.ts';
import { KeyError } from './keyFailure.ts';

/** What is sent to the address of tokens. Nothing else goes there. */
interface TokenRequest {
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly form: { readonly [field: string]: string | undefined };
}

/** What the service gives. */
export interface Tokens {
  readonly access: string;
  /** How long the access token is valid. Infinity if the response doesn't say. */
  readonly lifeMs: number;
  /** A refresh token for the next time, in place of the last one. */
  readonly refresh: string | undefined;
}

const maxBytes = 1024 * 1024;
const policy = failurePolicy();

/** Requests tokens once. Rejects with a KeyError, whose failure says whether another attempt may help. */
export function requestToken(request: TokenRequest, dispatcher: Dispatcher, { clock, timeoutMs, service }: Settings): Promise<Tokens> {
  const { url, authorization, form } = request;
  return new Promise((resolve, reject) => {
    const fail = (failure: AttemptFailure): void => {
      cancelDeadline();
      const what = `no access token from ${url.origin}${url.pathname}: ${failure.what}`;
      reject(new KeyError({ ...failure, what }));
    };
    const exchange = new Exchange(
      {
        responded: (status, headers, body) =>
          decodeBody(body, headers, maxBytes, (fault, decoded) => {
            const read = fault === undefined ? readTokens(status, headers, decoded, clock.wall()) : unusable(status);
            if ('what' in read) return fail(read);
            cancelDeadline();
            resolve(read);
          }),
        overflowed: (status) => fail(unusable(status)),
        broke: (error, _begun, status) => fail(networkFailure(error, status)),
      },
      maxBytes,
    );
    const cancelDeadline = clock.after(timeoutMs, () => {
      exchange.abort();
      fail({ kind: 'timeout', error: 'TimeoutError', what: `no whole response within ${timeoutMs} ms` });
    });
    const headers = ['accept', 'application/json', 'content-type', 'application/x-www-form-urlencoded', 'user-agent', userAgentOf(service)];
    if (authorization !== undefined) headers.push('authorization', authorization);
    const given = Object.entries(form).filter((field): field is [string, string] => field[1] !== undefined);
    const path = url.pathname + url.search;
    const body = new URLSearchParams(given).toString();
    try {
      dispatcher.dispatch({ origin: url.origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 }, exchange);
    } catch (error) {
      fail(networkFailure(error as Error, 0));
    }
  });
}

/** Some services refuse unknown clients here, too. */
function userAgentOf({ headers = {} }: Service): string {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? `trawler/${version}`;
}

/** The tokens in a response, or why there are none. What a good response contains is never shown, because a token may be in it. */
function readTokens(status: number, headers: IncomingHttpHeaders, body: Buffer, wall: number): Tokens | AttemptFailure {
  const text = body.toString();
  const { access_token: access, expires_in: expires, refresh_token: refresh, error, error_description: more } = fieldsOf(text);
  const good = status >= 200 && status < 300;
  if (good && typeof access === 'string' && isHeaderText(access)) {
    const lifeMs = Number(expires) * 1000;
    return { access, lifeMs: lifeMs > 0 ? lifeMs : Infinity, refresh: typeof refresh === 'string' && refresh !== '' ? refresh : undefined };
  }
  if (good && typeof error !== 'string') return unusable(status);
  const said = typeof error === 'string' ? [error, ...(typeof more === 'string' ? [more] : [])].join(': ') : text;
  const meant = good ? 'auth' : policy.ofStatus(status);
  const kind = meant === 'final' ? 'auth' : meant;
  const refused = kind === 'auth';
  return {
    kind,
    error: refused ? 'AuthError' : kind === 'throttled' ? 'RateLimitError' : 'HttpError',
    what: `HTTP ${status}${said.trim() === '' ? '' : `; the service says ${beginningOf(said)}`}`,
    advice: refused ? 'check apiKey and key.oauth2; this client sends nothing more' : undefined,
    details: { status, retryAfterMs: refused ? undefined : parseRetryAfter(headers['retry-after'], headers.date, wall) },
  };
}

function fieldsOf(text: string): { readonly [field: string]: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { readonly [field: string]: unknown };
  } catch {
    return {};
  }
}

function isHeaderText(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

function unusable(status: number): AttemptFailure {
  const what = `HTTP ${status}, but not JSON with an access_token`;
  return { kind: 'unreadable', error: 'PayloadError', what, advice: 'check key.oauth2.address', details: { status } };
}
