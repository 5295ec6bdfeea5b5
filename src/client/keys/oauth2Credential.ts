import { backoffMs } from '../../../operators/limits/backoff.ts';
import type { OAuth2Spec } from '../../contract/index.ts';
import type { CredentialTools } from './Credential.ts';
import type { Given } from './Given.ts';
import { keyParts, oauthBasic } from './keyParts.ts';
import { Renewed, type Made } from './Renewed.ts';
import { requestToken, type Tokens } from './requestToken.ts';
import { resolve } from 'node:path';
import { BusyError } from '../../errors/index.ts';
import { readAll, writeAllSync } from '../../files/blocks.ts';
import { type FileSystem, systemCode } from '../../files/FileSystem.ts';
import { discard, publish } from '../../files/publish.ts';
import { takeLock, type HeldLock } from '../../files/takeLock.ts';
import { printable } from '../response/printable.ts';
import { keyMistake, type KeyError } from './keyFailure.ts';

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
