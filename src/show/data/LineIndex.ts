import { basename } from 'node:path';
import { messageOf } from '../../errors/TrawlerError.ts';
import { readBlocks } from '../../files/blocks.ts';
import { parseJsonRow } from '../../flow/seeds/readSeeds.ts';
import { nodeFileSystem, type OpenFile } from '../../sinks/index.ts';
import { damageText } from './TableSpec.ts';

const lineFeed = 10;

/** Where the lines of a file begin, so that any of them can be read at once. Takes 8 bytes for each line. */
export class LineIndex {
  readonly #name: string;
  readonly #file: OpenFile;
  readonly #starts: Float64Array;

  private constructor(name: string, file: OpenFile, starts: Float64Array) {
    this.#name = name;
    this.#file = file;
    this.#starts = starts;
  }

  /**
   * Reads the file once. A last line without a line feed isn't whole, and doesn't count. `onRead` is told how many bytes were read.
   */
  static async open(path: string, onRead?: (bytes: number) => void): Promise<LineIndex> {
    const file = nodeFileSystem.open(path, 'r');
    let starts = new Float64Array(1 << 12);
    let [count, at] = [1, 0]; // the end of a line is where the next one begins
    try {
      for await (const block of readBlocks(file)) {
        for (let end = block.indexOf(lineFeed); end >= 0; end = block.indexOf(lineFeed, end + 1)) {
          if (count === starts.length) {
            const more = new Float64Array(count * 2);
            more.set(starts);
            starts = more;
          }
          starts[count++] = at + end + 1;
        }
        at += block.length;
        onRead?.(at);
      }
    } catch (error) {
      file.close();
      throw error;
    }
    return new LineIndex(basename(path), file, starts.subarray(0, count));
  }

  get length(): number {
    return this.#starts.length - 1;
  }

  /** A line as an object. Long ids keep their digits. Throws a RangeError if there is none of this number. */
  at(n: number): object {
    if (!Number.isInteger(n) || n < 0 || n >= this.length) throw new RangeError(`There is no row ${n}.`);
    const start = this.#starts[n]!;
    const bytes = Buffer.alloc(this.#starts[n + 1]! - 1 - start);
    this.#file.readSync(bytes, 0, bytes.length, start);
    try {
      return parseJsonRow(bytes.toString().replace(/^\uFEFF/, ''), `${this.#name}:${n + 1}`);
    } catch (error) {
      throw new Error(damageText(messageOf(error)), { cause: error });
    }
  }

  close(): void {
    this.#file.close();
  }
}
