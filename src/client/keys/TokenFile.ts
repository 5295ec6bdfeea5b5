import { resolve } from 'node:path';
import { BusyError } from '../../errors/index.ts';
import { readAll, writeAllSync } from '../../files/blocks.ts';
import type { FileSystem } from '../../files/FileSystem.ts';
import { discard, publish } from '../../files/publish.ts';
import { systemCode } from '../../files/sinkFailure.ts';
import { takeLock, type HeldLock } from '../../files/takeLock.ts';
import { printable } from '../response/printable.ts';
import { keyMistake, type KeyError } from './keyFailure.ts';

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
