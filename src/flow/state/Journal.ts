import { crc32 } from 'node:zlib';
import type { FileSystem, OpenFile } from '../../sinks/index.ts';
import type { JournalRecord } from './JournalRecord.ts';

const chunkBytes = 1 << 20;

/**
 * A file of records, one a line, each with its number and a checksum, so that a torn or a lost line is told from a
 * whole one. What `append` has promised survives a power cut.
 */
export class Journal {
  readonly #file: OpenFile;
  #end = 0;
  #seq = 0;
  #failure: unknown;

  private constructor(file: OpenFile) {
    this.#file = file;
  }

  /** The next record's number: how many there are. */
  get seq(): number {
    return this.#seq;
  }

  /** Makes the file when it isn't there, and reads nothing yet. */
  static open(path: string, fileSystem: FileSystem): Journal {
    return new Journal(fileSystem.open(path, fileSystem.stat(path) === undefined ? 'wx' : 'r+', 0o600));
  }

  /**
   * Reads the records in order, up to the first that is torn, changed or out of number, or that `take` refuses with
   * false. What lies behind is cut off.
   */
  async replay(take: (record: JournalRecord) => boolean): Promise<void> {
    await this.#read(take);
    if (this.#file.size() === this.#end) return;
    this.#file.truncate(this.#end);
    await this.#file.datasync();
  }

  async #read(take: (record: JournalRecord) => boolean): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = 0; ;) {
      const chunk = Buffer.alloc(chunkBytes);
      const read = await this.#file.read(chunk, 0, chunkBytes, at);
      if (read === 0) break;
      at += read;
      let bytes = rest.length === 0 ? chunk.subarray(0, read) : Buffer.concat([rest, chunk.subarray(0, read)]);
      for (let line = bytes.indexOf(10); line >= 0; line = bytes.indexOf(10)) {
        const record = decode(bytes.toString('utf8', 0, line), this.#seq);
        if (record === undefined || !take(record)) return;
        this.#seq += 1;
        this.#end += line + 1;
        bytes = bytes.subarray(line + 1);
      }
      rest = bytes;
    }
  }

  /** The same without cutting anything off. */
  async peek(take: (record: JournalRecord) => void): Promise<void> {
    await this.#read((record) => {
      take(record);
      return true;
    });
  }

  /** Writes a record and waits until it is on disk; gives its number. After an error nothing is tried again. */
  async append(record: JournalRecord): Promise<number> {
    if (this.#failure !== undefined) throw this.#failure;
    const seq = this.#seq;
    const bytes = Buffer.from(encode(record, seq));
    try {
      for (let at = 0; at < bytes.length;) {
        const written = await this.#file.write(bytes, at, bytes.length - at, this.#end + at);
        if (written <= 0) throw new Error('the system wrote nothing of the journal and gave no reason');
        at += written;
      }
      await this.#file.datasync();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
    this.#end += bytes.length;
    this.#seq += 1;
    return seq;
  }

  close(): void {
    this.#file.close();
  }
}

function encode(record: JournalRecord, seq: number): string {
  const text = `{"seq":${seq},${JSON.stringify(record).slice(1, -1)}`;
  return `${text},"crc":"${crc32(text).toString(16).padStart(8, '0')}"}\n`;
}

function decode(line: string, seq: number): JournalRecord | undefined {
  const tail = /,"crc":"([0-9a-f]{8})"\}$/.exec(line);
  if (tail === null || !line.startsWith(`{"seq":${seq},`)) return undefined;
  if (crc32(line.slice(0, tail.index)) !== Number.parseInt(tail[1]!, 16)) return undefined;
  return JSON.parse(line) as JournalRecord;
}
