import { backoffMs } from '../../../operators/limits/backoff.ts';
import { jsonOrText } from '../../../operators/kit/parsedJson.ts';
import { timeIn } from '../../../operators/kit/writeTime.ts';
import { valueAt } from '../../../operators/kit/path.ts';
import type { Service } from '../../contract/index.ts';
import type { SecretValues } from '../../contract/secrets.ts';
import { headerIn } from '../../contract/pagingOf.ts';
import { type TokenRequest, tokenRequest } from '../../contract/request.ts';
import type { TokenSpec } from '../../contract/Service.ts';
import type { CredentialTools } from './Credential.ts';
import { Renewed, type Made, keyMistake, KeyError } from './Renewed.ts';
import { resolve } from 'node:path';
import { BusyError } from '../../errors/index.ts';
import { readAll } from '../../files/blocks.ts';
import { type FileSystem, systemCode } from '../../files/FileSystem.ts';
import { replaceFile } from '../../files/publish.ts';
import { takeLock, type HeldLock } from '../../files/takeLock.ts';
import { printable, beginningOf } from '../response/errorIn.ts';
import type { Dispatcher } from 'undici';
import type { IncomingHttpHeaders } from 'node:http';
import { networkFailure, type AttemptFailure } from '../attempt/AttemptFailure.ts';
import { Exchange } from '../attempt/Exchange.ts';
import { failurePolicy } from '../attempt/failurePolicy.ts';
import { parseRetryAfter } from '../attempt/parseRetryAfter.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { decodeBody } from '../../contract/decodeBody.ts';
import { version } from '../version.ts';

/** A token is renewed so long before its end, or a tenth of its life. */
const maxMarginMs = 60_000;

/** Carries tokens beside the secrets that a service has anyway, and requests new ones. */
export function tokenCredential(
  token: TokenSpec,
  values: SecretValues,
  url: URL,
  { secrets, settings, dispatcherFor }: CredentialTools,
): Renewed {
  const { clock, baseMs, capMs, fileSystem } = settings;
  const request = async (refresh?: string): Promise<Tokens> => {
    const made = tokenRequest(token, url, refresh === undefined ? values : { ...values, refresh });
    const tokens = await requestToken(token, url, made, dispatcherFor(url.origin), settings);
    for (const each of [tokens.access, tokens.refresh]) if (each !== undefined) secrets.addPassing(each);
    return tokens;
  };
  const tokenFile = token.refresh === undefined ? undefined : new TokenFile(token.refresh.file, fileSystem);
  const tokens = (): Promise<Tokens> => {
    if (tokenFile === undefined) return request();
    return tokenFile.use(async (refresh) => {
      secrets.addPassing(refresh);
      const result = await request(refresh);
      return { result, next: result.refresh };
    });
  };
  const make = async (): Promise<Made> => {
    const startedAt = clock.now();
    const { access, lifeMs } = await tokens();
    const until = startedAt + lifeMs - Math.min(maxMarginMs, lifeMs / 10);
    return { carried: { ...values, token: access }, until };
  };
  return new Renewed(make, clock, (failures) => backoffMs(failures, clock.random(), baseMs, capMs));
}

const lookMs = 50;

/**
 * The refresh token in a file of the user's. A service may send another one in its place, and then refuses the old one.
 * So processes that share the file read, use and write it one after the other.
 */
export class TokenFile {
  readonly #path: string;
  readonly #fileSystem: FileSystem;

  constructor(path: string, fileSystem: FileSystem) {
    this.#path = resolve(path);
    this.#fileSystem = fileSystem;
  }

  /** Runs `use` with the token. A token that it gives back is on disk before this resolves. */
  async use<T>(use: (token: string) => Promise<{ readonly result: T; readonly next: string | undefined }>): Promise<T> {
    const lock = await this.#lock();
    try {
      const token = this.#read();
      const { result, next } = await use(token);
      if (next !== undefined && next !== token) await this.#write(next);
      return result;
    } finally {
      lock.release();
    }
  }

  /** Waits for its turn. */
  async #lock(): Promise<HeldLock> {
    for (;;) {
      try {
        return takeLock(`${this.#path}.lock`, this.#fileSystem);
      } catch (error) {
        const held = error instanceof BusyError || (error as Error).cause === undefined;
        if (!held) throw this.#mistake('locked', error);
      }
      await new Promise((done) => setTimeout(done, lookMs));
    }
  }

  #read(): string {
    let token: string;
    try {
      token = readAll(this.#path, this.#fileSystem).toString().trim();
    } catch (error) {
      throw this.#mistake('read', error);
    }
    if (token === '' || /\s/.test(token)) throw this.#mistake('used', new Error('the file must hold one token and nothing else'));
    return token;
  }

  async #write(token: string): Promise<void> {
    try {
      await replaceFile(this.#path, [`${token}\n`], 0o600, this.#fileSystem);
    } catch (error) {
      throw this.#mistake('written', error);
    }
  }

  #mistake(done: string, error: unknown): KeyError {
    const { message, cause } = error as Error;
    const code = systemCode(error) ?? systemCode(cause);
    const why = code === 'ENOENT' ? 'there is no such file or folder' : (code ?? message);
    return keyMistake(
      `the refresh token in ${printable(this.#path)} can't be ${done}: ${why}`,
      'write the first refresh token into that file, in a folder where this process may write; this client sends nothing more',
    );
  }
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
function requestToken(
  token: TokenSpec,
  url: URL,
  { method, path, headers: own, body, type }: TokenRequest,
  dispatcher: Dispatcher,
  { clock, timeoutMs, service }: Settings,
): Promise<Tokens> {
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
            const read =
              fault === undefined ? readTokens(token, { status, headers, body: decoded }, clock.wall()) : unusable(status, token);
            if ('what' in read) return fail(read);
            cancelDeadline();
            resolve(read);
          }),
        overflowed: (status) => fail(unusable(status, token)),
        broke: (error, _begun, status) => fail(networkFailure(error, status)),
      },
      maxBytes,
    );
    const cancelDeadline = clock.after(timeoutMs, () => {
      exchange.abort();
      fail({ kind: 'timeout', error: 'TimeoutError', what: `no whole response within ${timeoutMs} ms` });
    });
    const headers: { readonly [name: string]: string } = {
      accept: 'application/json',
      'user-agent': userAgentOf(service),
      ...(type !== undefined && { 'content-type': type }),
      ...own,
    };
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path,
          method: method as Dispatcher.HttpMethod,
          headers,
          body: body ?? null,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        exchange,
      );
    } catch (error) {
      fail(networkFailure(error as Error, 0));
    }
  });
}

/** Some services refuse unknown clients here, too. */
function userAgentOf({ headers = {} }: Service): string {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? `trawler/${version}`;
}

interface TokenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The tokens in a response, or why there are none. What a good response contains is never shown, because a token may be in it. */
function readTokens(token: TokenSpec, { status, headers, body }: TokenResponse, wall: number): Tokens | AttemptFailure {
  const { at, expires, refresh } = token;
  const text = body.toString();
  const value = jsonOrText(text.trim());
  const header = headerIn(at);
  const found = header !== undefined ? headers[header] : at === '' ? value : valueAt(value, at);
  const access = typeof found === 'number' ? String(found) : found;
  const good = status >= 200 && status < 300;
  if (good && typeof access === 'string' && isHeaderText(access)) {
    const next = refresh?.at === undefined ? undefined : valueAt(value, refresh.at);
    const lifeMs = lifeOf(typeof expires === 'string' ? valueAt(value, expires) : expires, wall);
    return { access, lifeMs, refresh: typeof next === 'string' && next !== '' ? next : undefined };
  }
  const { error, error_description: more } = (value ?? {}) as { readonly error?: unknown; readonly error_description?: unknown };
  if (good && typeof error !== 'string') return unusable(status, token);
  const said = typeof error === 'string' ? [error, ...(typeof more === 'string' ? [more] : [])].join(': ') : text;
  const meant = good ? 'auth' : policy.ofStatus(status);
  const kind = meant === 'final' ? 'auth' : meant;
  const refused = kind === 'auth';
  return {
    kind,
    error: refused ? 'AuthError' : kind === 'throttled' ? 'RateLimitError' : 'HttpError',
    what: `HTTP ${status}${said.trim() === '' ? '' : `; the service says ${beginningOf(said)}`}`,
    advice: refused ? 'check apiKey and the token of the service; this client sends nothing more' : undefined,
    details: { status, retryAfterMs: refused ? undefined : parseRetryAfter(headers['retry-after'], headers.date, wall) },
  };
}

/** No number of seconds that a token lives is that large, and no time is that small. */
const longestSeconds = 1e9;

/** How long a token is valid, from a number of seconds or a time. Infinity: nothing says that. */
function lifeOf(said: unknown, wall: number): number {
  const seconds = Number(said);
  const lifeMs = seconds < longestSeconds ? seconds * 1000 : timeIn(said) - wall;
  return lifeMs > 0 ? lifeMs : Infinity;
}

function isHeaderText(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

function unusable(status: number, { at }: TokenSpec): AttemptFailure {
  const header = headerIn(at);
  const wanted = header !== undefined ? `the header ${header}` : at === '' ? 'a token' : `JSON with ${at}`;
  const what = `HTTP ${status}, but not ${wanted}`;
  return { kind: 'unreadable', error: 'PayloadError', what, advice: 'check the token of the service', details: { status } };
}
