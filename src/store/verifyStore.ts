import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { entryWords } from './EntryTable.ts';
import { decodeFrames, indexHead } from './SegmentWriter.ts';
import { openStore } from './openStore.ts';
import { scanSegment } from './scanSegment.ts';
import { readUpTo } from '../files/blocks.ts';
import { StoreFolder } from './StoreFolder.ts';
import { decodeRecord } from './warcRecord.ts';

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

/** Checks a whole store: every checksum, every digest, every body that a revisit points to, every line of each index. */
export function verifyStore(folder: string, fileSystem: FileSystem = nodeFileSystem): StoreCheck {
  const store = openStore(folder, { mode: 'replay', fileSystem });
  const files = new StoreFolder(folder, fileSystem);
  const faults: StoreFault[] = [];
  let records = 0;
  const content = files.content();
  const { segments, live } = content;
  for (const number of segments) {
    const path = files.segment(number);
    const file = files.openToRead(path);
    if (file === undefined) continue;
    const found = new Set<string>();
    try {
      const size = file.size();
      for (const { offset, length, content: own } of scanSegment(file, 0)) {
        const record = own === undefined ? 'damaged' : decodeRecord(own);
        if (record === 'other') continue;
        if (typeof record !== 'string') {
          records++;
          found.add(`${offset} ${length}`);
          continue;
        }
        if (live.has(number) && offset + length === size) continue; // it is being written
        const what =
          own === undefined
            ? `${length} bytes are no record${offset + length === size ? ': the end is torn' : ''}`
            : `a record whose ${record === 'digest' ? 'digest does not match' : 'form is wrong'}`;
        faults.push({ file: path, offset, what });
      }
    } finally {
      file.close();
    }
    const index = live.has(number) ? undefined : indexFault(files, number, found);
    if (index !== undefined) faults.push({ file: files.index(number), offset: 0, what: index });
  }
  for (const entry of store.current()) {
    const record = entry.revisit ? store.read(entry) : undefined;
    if (typeof record === 'string') faults.push({ file: files.segment(entry.segment), offset: entry.offset, what: record });
  }
  void store.close();
  return { segments: segments.length, records, bytes: files.sizeOf(content), faults };
}

/** What is wrong with the index of a segment with these records. It is made again when the store is next used. */
function indexFault(files: StoreFolder, number: number, found: ReadonlySet<string>): string | undefined {
  const file = files.openToRead(files.index(number));
  if (file === undefined) return found.size === 0 ? undefined : 'it is missing';
  try {
    const bytes = readUpTo(file, 0, file.size());
    if (!bytes.subarray(0, indexHead.length).equals(indexHead)) return 'it is no index';
    const { frames, end } = decodeFrames(bytes.subarray(indexHead.length));
    if (indexHead.length + end !== bytes.length) return `its bytes have changed from byte ${indexHead.length + end} on`;
    const missing = new Set(found);
    for (const frame of frames) {
      if (frame.kind !== 'entries') continue;
      for (let at = 0; at < frame.words.length; at += entryWords) missing.delete(`${frame.words[at + 6]} ${frame.words[at + 7]}`);
    }
    return missing.size === 0 ? undefined : `it lacks ${missing.size} of ${found.size} records`;
  } finally {
    file.close();
  }
}
