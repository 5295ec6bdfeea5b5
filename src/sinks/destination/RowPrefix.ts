import type { Hash } from 'node:crypto';
import { sha256 } from '../../files/blocks.ts';
import type { LoadPosition } from './RowDestination.ts';

/** The first rows of a file as JSONL: how long they are, and their digest. */
export class RowPrefix implements LoadPosition {
  readonly bytes: number;
  readonly #hash: Hash;
  #digest: string | undefined;

  private constructor(bytes: number, hash: Hash) {
    this.bytes = bytes;
    this.#hash = hash;
  }

  static start(): RowPrefix {
    return new RowPrefix(0, sha256());
  }

  get digest(): string {
    return (this.#digest ??= this.#hash.copy().digest('hex'));
  }

  with(more: Uint8Array): RowPrefix {
    return new RowPrefix(this.bytes + more.length, this.#hash.copy().update(more));
  }

  is(other: LoadPosition): boolean {
    return this.bytes === other.bytes && this.digest === other.digest;
  }
}
