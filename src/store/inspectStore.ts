import { getOrInsert } from '../../operators/kit/once.ts';
import { dayText } from '../../operators/kit/days.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { openStore } from './openStore.ts';
import { requestOfKey, lineOf } from './ResponseIndex.ts';
import { StoreFolder } from './StoreFolder.ts';
import { SinkError } from '../errors/index.ts';
import { readAll } from '../files/blocks.ts';
import { encodeLine, scanSegment } from './segment.ts';
import { jsonOrText } from '../../operators/kit/parsedJson.ts';
import { decodeBody, mostBodyBytes } from '../contract/decodeBody.ts';
import type { StoredResponse } from '../contract/index.ts';

/** Responses of one operation on one day. */
export interface StoredDay {
  readonly service: string;
  readonly operation: string;
  /** Such as 2026-01-31, in UTC. */
  readonly day: string;
  readonly responses: number;
  /** On disk. */
  readonly bytes: number;
}

export interface StoreSummary {
  /** By operation, then by day. */
  readonly days: readonly StoredDay[];
  /** The current responses. */
  readonly responses: number;
  /** The whole folder on disk. */
  readonly bytes: number;
  readonly segments: number;
}

/** Summarizes a store by operation and day. Reads only the indexes. */
export function summarizeStore(folder: string, fileSystem: FileSystem = nodeFileSystem): StoreSummary {
  const store = openStore(folder, { mode: 'replay', fileSystem });
  const files = new StoreFolder(folder, fileSystem);
  const days = new Map<string, { service: string; operation: string; day: string; responses: number; bytes: number }>();
  for (const [key, { at, length }] of store.current()) {
    const { service, operation } = requestOfKey(key);
    const day = dayText(at);
    const sum = getOrInsert(days, `${service}/${operation} ${day}`, () => ({ service, operation, day, responses: 0, bytes: 0 }));
    sum.responses++;
    sum.bytes += length;
  }
  const { segments } = files.content();
  const order = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
  return { days: order, responses: store.size, bytes: files.sizeOf(segments), segments: segments.length };
}

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

/** A stored response, decoded. */
export interface ExportedResponse {
  readonly service: string;
  readonly operation: string;
  /** The parameters of the query as text, without those that have their default. */
  readonly query: { readonly [param: string]: string };
  /** When it arrived, as ISO 8601. */
  readonly at: string;
  readonly status: number;
  /** The body as JSON, or as text if it isn't JSON. */
  readonly body: unknown;
}

/**
 * The current response of each request, decoded, in the order in which they were stored. Damaged responses are skipped: `verifyStore`
 * reports them.
 */
export async function* exportStore(folder: string, fileSystem: FileSystem = nodeFileSystem): AsyncIterable<ExportedResponse> {
  const store = openStore(folder, { mode: 'replay', fileSystem });
  try {
    for (const [key, entry] of store.current()) {
      const record = store.read(entry);
      if (typeof record === 'string') continue;
      const { service, operation, query } = requestOfKey(key);
      const params = Object.fromEntries(new URLSearchParams(query));
      const at = new Date(record.at).toISOString();
      yield { service, operation, query: params, at, status: record.status, body: await bodyOf(record) };
    }
  } finally {
    await store.close();
  }
}

/** A body that can't be decoded stays as it is. */
function bodyOf({ headers, body }: StoredResponse): Promise<unknown> {
  return new Promise((resolve) => {
    decodeBody(body, headers, mostBodyBytes, (_, decoded) => resolve(jsonOrText(decoded.toString())));
  });
}
