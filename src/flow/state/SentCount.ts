import { join } from 'node:path';
import { ownFolder } from '../../files/takeWatchedLock.ts';
import { writeAllSync } from '../../files/blocks.ts';
import type { OpenFile } from '../../sinks/index.ts';
import { modeOf, type FlowFolder } from './FlowFolder.ts';

const one = Buffer.alloc(1, '.');

/**
 * How many requests were sent within a quote, in all runs of a folder: a file with a byte for each, written before it is sent. So what was
 * on its way counts as well when a process is killed.
 */
export class SentCount {
  count: number;
  readonly #file: OpenFile;

  /** `known`: what the journal counts. */
  constructor(folder: FlowFolder, quoteId: string, known: number) {
    const name = join(ownFolder, `sent-${quoteId}`);
    this.#file = folder.fileSystem.open(folder.at(name), 'a', modeOf(name));
    this.count = this.#file.size();
    if (this.count < known) writeAllSync(this.#file, Buffer.alloc(known - this.count, '.'), this.count);
    this.count = Math.max(this.count, known);
  }

  add(): void {
    writeAllSync(this.#file, one, this.count);
    this.count += 1;
  }

  /** So many were not sent after all. */
  takeBack(requests: number): void {
    this.count -= requests;
    this.#file.truncate(this.count);
  }

  close(): void {
    this.#file.close();
  }
}
