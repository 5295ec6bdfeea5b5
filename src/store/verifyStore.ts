import { SinkError } from '../errors/index.ts';
import { readAll } from '../files/blocks.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { lineOf } from './ResponseIndex.ts';
import { encodeLine, scanSegment } from './segment.ts';
import { StoreFolder } from './StoreFolder.ts';

/** Damage found in a store. */
export interface StoreFault {
  readonly file: string;
  readonly offset: number;
  readonly what: string;
}

export interface StoreCheck {
  readonly segments: number;
  /** Records of responses, including replaced ones. */
  readonly records: number;
  readonly bytes: number;
  readonly faults: readonly StoreFault[];
}

/** Checks a whole store: every checksum, every digest, every line of each index. */
export function verifyStore(folder: string, fileSystem: FileSystem = nodeFileSystem): StoreCheck {
  const files = new StoreFolder(folder, fileSystem);
  if (!files.exists) throw new SinkError(`${folder}: no stored responses are there`);
  const faults: StoreFault[] = [];
  let records = 0;
  const { segments, live } = files.content();
  for (const number of segments) {
    const path = files.segment(number);
    const file = files.openToRead(path);
    if (file === undefined) continue;
    const found: string[] = [];
    try {
      const size = file.size();
      for (const { offset, length, found: record } of scanSegment(file, 0, true)) {
        if (record === 'other') continue;
        if (typeof record !== 'string') {
          records++;
          found.push(encodeLine(lineOf(record, offset, length)));
          continue;
        }
        const isEnd = offset + length === size;
        if (live.has(number) && isEnd) continue; // it is being written
        const what = record === 'digest' ? 'a record whose digest does not match' : `${length} bytes are no record`;
        faults.push({ file: path, offset, what: record === 'damaged' && isEnd ? `${what}: the end is torn` : what });
      }
    } finally {
      file.close();
    }
    const index = live.has(number) ? undefined : whatIndexLacks(files, number, found);
    if (index !== undefined) faults.push({ file: files.index(number), offset: 0, what: index });
  }
  return { segments: segments.length, records, bytes: files.sizeOf(segments), faults };
}

/** Says what the index of a segment with these records lacks. The next use of the store adds it. */
function whatIndexLacks(files: StoreFolder, number: number, found: readonly string[]): string | undefined {
  const path = files.index(number);
  if (files.size(path) === undefined) return found.length === 0 ? undefined : 'it is missing';
  const known = new Set(
    readAll(path, files.fileSystem)
      .toString()
      .split(/(?<=\n)/),
  );
  const lacks = found.filter((line) => !known.has(line)).length;
  return lacks === 0 ? undefined : `it lacks ${lacks} of ${found.length} records`;
}
