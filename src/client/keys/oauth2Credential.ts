import type { Given } from '../options/resolveKey.ts';
import { backoffMs } from '../../../operators/limits/backoff.ts';
import type { OAuth2Spec, Service } from '../../contract/index.ts';
import type { CredentialTools } from './Credential.ts';
import { keyParts, oauthBasic } from './keyParts.ts';
import { Renewed, type Made, keyMistake, KeyError } from './Renewed.ts';
import { resolve } from 'node:path';
import { BusyError } from '../../errors/index.ts';
import { readAll, writeAllSync } from '../../files/blocks.ts';
import { type FileSystem, systemCode } from '../../files/FileSystem.ts';
import { discard, publish } from '../../files/publish.ts';
import { takeLock, type HeldLock } from '../../files/takeLock.ts';
import { printable, beginningOf } from '../response/errorIn.ts';
import type { Dispatcher } from 'undici';
import type { IncomingHttpHeaders } from 'node:http';
import { networkFailure, type AttemptFailure } from '../attempt/AttemptFailure.ts';
import { Exchange } from '../attempt/Exchange.ts';
import { failurePolicy } from '../attempt/failurePolicy.ts';
import { parseRetryAfter } from '../attempt/parseRetryAfter.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { decodeBody } from '../response/decodeBody.ts';
import { version } from '../version.ts';

/** A token is renewed so long before its end, or a tenth of its life. */
const maxMarginMs = 60_000;

/** Carries access tokens, and requests new ones. */
export function oauth2Credential(
  { grant, send = 'basic', scope, file }: OAuth2Spec,
  { key, user, password, tokenUrl }: Given,
  { secrets, settings, dispatcherFor }: CredentialTools,
): Renewed {
  const { clock, baseMs, capMs, fileSystem } = settings;
  const { id, secret } = keyParts(key);
  const basic = oauthBasic(id, secret);
  for (const each of [basic, secret, password]) if (each !== undefined) secrets.add(each);
  const authorization = send === 'basic' ? `Basic ${basic}` : undefined;
  const client = send === 'basic' ? {} : { client_id: id, client_secret: secret };
  const request = async (more: { readonly [field: string]: string | undefined }): Promise<Tokens> => {
    const url = tokenUrl!;
    const tokens = await requestToken(
      { url, authorization, form: { grant_type: grant, scope, ...client, ...more } },
      dispatcherFor(url.origin),
      settings,
    );
    for (const token of [tokens.access, tokens.refresh]) if (token !== undefined) secrets.addPassing(token);
    return tokens;
  };
  const tokenFile = file === undefined ? undefined : new TokenFile(file, fileSystem);
  const tokens = (): Promise<Tokens> => {
    if (tokenFile === undefined) return request(grant === 'password' ? { username: user, password } : {});
    return tokenFile.use(async (refresh) => {
      secrets.addPassing(refresh);
      const result = await request({ refresh_token: refresh });
      return { result, next: result.refresh };
    });
  };
  const make = async (): Promise<Made> => {
    const startedAt = clock.now();
    const { access, lifeMs } = await tokens();
    const until = startedAt + lifeMs - Math.min(maxMarginMs, lifeMs / 10);
    return { carried: { headers: ['authorization', `Bearer ${access}`] }, until };
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

  /** In one step, so that nobody ever reads half a token, and safe from a power cut. */
  async #write(token: string): Promise<void> {
    const draft = `${this.#path}.part`;
    try {
      discard(draft, this.#fileSystem);
      const file = this.#fileSystem.open(draft, 'wx', 0o600);
      try {
        writeAllSync(file, Buffer.from(`${token}\n`), 0);
        await file.datasync();
      } finally {
        file.close();
      }
      await publish(draft, this.#path, true, this.#fileSystem);
    } catch (error) {
      discard(draft, this.#fileSystem);
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
function requestToken(request: TokenRequest, dispatcher: Dispatcher, { clock, timeoutMs, service }: Settings): Promise<Tokens> {
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
