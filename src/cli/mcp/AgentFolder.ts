import { link, mkdir, type FileHandle, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Quote } from '../../flow/index.ts';
import { isQuoteId, quoteFile } from '../quotes.ts';

/** A quote as it is kept: where it holds, and what it says. */
export interface KeptQuote {
  readonly sandbox: boolean;
  readonly quote: Quote;
}

const startingMs = 20_000;

/**
 * What is on the disk. A run is a folder named by its id. What belongs to it before and beside that is in `.quotes/ID`: `flow.json`,
 * `quote.json`, and once it was started `.trawler/quotes/ID.json`, `log.txt` and `cancelled`.
 */
export class AgentFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** Where the rows of a run are. */
  run(id: string): string {
    return join(this.#folder, id);
  }

  flow(id: string): string {
    return this.#at(id, 'flow.json');
  }

  async ids(): Promise<readonly string[]> {
    return (await readdir(join(this.#folder, '.quotes')).catch(() => [])).filter(isQuoteId);
  }

  async definition(id: string): Promise<object> {
    return JSON.parse(await readFile(this.flow(id), 'utf8')) as object;
  }

  async keepDefinition(id: string, definition: object): Promise<void> {
    await mkdir(this.#at(id), { recursive: true });
    await this.#write(this.flow(id), definition);
  }

  async quote(id: string): Promise<KeptQuote | undefined> {
    return isQuoteId(id) ? readJson<KeptQuote>(this.#at(id, 'quote.json')) : undefined;
  }

  async keepQuote(id: string, kept: KeptQuote): Promise<void> {
    await this.#write(this.#at(id, 'quote.json'), kept);
  }

  /** What was given to a run. undefined: it wasn't started. */
  async granted(id: string): Promise<number | undefined> {
    return (await readJson<Quote>(this.#grant(id)))?.most;
  }

  /** Writes the quote that `trawler run --quote` reads. false: it is there, so the run was started before. */
  async grant(id: string, quote: Quote): Promise<boolean> {
    const path = this.#grant(id);
    const part = `${path}.${process.pid}.${performance.now()}.part`;
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(part, JSON.stringify(quote, undefined, 2));
    try {
      await link(part, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      await rm(part);
    }
  }

  async grantMore(id: string, quote: Quote): Promise<void> {
    await this.#write(this.#grant(id), quote);
  }

  async openLog(id: string): Promise<FileHandle> {
    return open(this.#at(id, 'log.txt'), 'w');
  }

  /** What the process of a run has said. */
  async log(id: string): Promise<string> {
    return (await readFile(this.#at(id, 'log.txt'), 'utf8').catch(ifGone)) ?? '';
  }

  /** The process of a run was started, and has said nothing yet. */
  async isStarting(id: string): Promise<boolean> {
    const log = await stat(this.#at(id, 'log.txt')).catch(ifGone);
    const { mtimeMs } = log ?? (await stat(this.#grant(id)));
    return (log?.size ?? 0) === 0 && Date.now() - mtimeMs < startingMs;
  }

  /** Whether this process is told to stop for the first time. */
  async cancel(id: string, pid: number): Promise<boolean> {
    const path = this.#at(id, 'cancelled');
    if ((await readFile(path, 'utf8').catch(ifGone)) === String(pid)) return false;
    await writeFile(path, String(pid));
    return true;
  }

  #at(id: string, name = ''): string {
    return join(this.#folder, '.quotes', id, name);
  }

  #grant(id: string): string {
    return quoteFile({ folder: this.#at(id) }, id);
  }

  async #write(path: string, value: object): Promise<void> {
    const part = `${path}.${process.pid}.part`;
    await writeFile(part, JSON.stringify(value, undefined, 2));
    await rename(part, path);
  }
}

async function readJson<T>(path: string): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(ifGone);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
