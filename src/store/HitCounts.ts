import { randomUUID } from 'node:crypto';
import { tryOnDisk } from '../files/FileSystem.ts';
import type { StoreFolder } from './StoreFolder.ts';

/** What a store has saved, by `service/operation`: noted in a file of this process's own. */
export class HitCounts {
  readonly #files: StoreFolder;
  readonly #counts = new Map<string, number>();
  #file: string | undefined;
  #noted = true;

  constructor(files: StoreFolder) {
    this.#files = files;
  }

  add(operation: string): void {
    this.#counts.set(operation, (this.#counts.get(operation) ?? 0) + 1);
    this.#noted = false;
  }

  /** Never fails, because a lost count doesn't matter. */
  note(): void {
    if (this.#noted) return;
    this.#noted = true;
    const bytes = Buffer.from(`${JSON.stringify(Object.fromEntries(this.#counts))}\n`);
    const file = (this.#file ??= this.#files.at(`hits-${randomUUID()}.json`));
    tryOnDisk(() => this.#files.replace(file, bytes));
  }
}
