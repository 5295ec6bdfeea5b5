import { checkOptions } from '../../operators/check/checkOptions.ts';
import type { FileSystem } from '../sinks/FileSystem.ts';
import { nodeFileSystem } from '../sinks/nodeFileSystem.ts';
import { Store, type StoreMode } from './Store.ts';

export interface StoreOptions {
  /**
   * `'reuse'`: read stored responses, request the rest and store it. `'record'`: request everything and store it.
   * `'replay'`: never send a request; a response that isn't stored is an error. @default 'reuse'
   */
  readonly mode?: StoreMode | undefined;
  /** Ignore responses older than this: one age for all operations, or one per operation name, with `'*'` for the others. @default Infinity */
  readonly maxAgeMs?: number | { readonly [operation: string]: number } | undefined;
  /** Start a new segment when one reaches this many bytes. @default 1073741824 (1 GiB) */
  readonly segmentBytes?: number | undefined;
  /** Stored responses are safe from a power cut after this time. @default 1000 */
  readonly syncMs?: number | undefined;
  /** The time, in milliseconds since 1970. A fixed one gives the same bytes for the same responses. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** The file system to use. @default the disk */
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Opens a folder of stored responses for `createClient({ store })`. The folder is created when the first response is
 * stored. Several processes can share one. You pay for each response once. Next time it is read from the folder,
 * without a request.
 *
 * @example
 * await using store = openStore('responses', { maxAgeMs: 7 * 86_400_000 });
 * const client = createClient({ store });
 */
export function openStore(folder: string, options: StoreOptions = {}): Store {
  const {
    mode = 'reuse',
    maxAgeMs = Infinity,
    segmentBytes = 2 ** 30,
    syncMs = 1000,
    now = Date.now,
    fileSystem = nodeFileSystem,
  } = options;
  const refuse = (option: string, must: string, value: unknown): never => {
    throw new RangeError(`openStore: ${option} must be ${must}, not ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`);
  };
  if (typeof folder !== 'string' || folder === '' || folder.includes('\0')) refuse('folder', 'a path', folder);
  if (mode !== 'reuse' && mode !== 'record' && mode !== 'replay') refuse('mode', "'reuse', 'record' or 'replay'", mode);
  const ages = typeof maxAgeMs === 'number' ? { '*': maxAgeMs } : maxAgeMs;
  for (const [operation, age] of Object.entries(ages)) {
    const option = typeof maxAgeMs === 'number' ? 'maxAgeMs' : `maxAgeMs[${operation}]`;
    if (!(typeof age === 'number' && age >= 0)) refuse(option, 'a number from 0 on', age);
  }
  if (!(Number.isSafeInteger(segmentBytes) && segmentBytes >= 1 && segmentBytes <= 2 ** 31)) {
    refuse('segmentBytes', 'a whole number from 1 to 2147483648', segmentBytes);
  }
  if (!(syncMs >= 0 && syncMs <= 60_000)) refuse('syncMs', 'from 0 to 60000', syncMs);
  checkOptions('openStore', options, ['mode', 'maxAgeMs', 'segmentBytes', 'syncMs', 'now', 'fileSystem']);
  return new Store(folder, { mode, maxAgeMs: ages, segmentBytes, syncMs, now, fileSystem });
}

const units: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A duration such as `90s`, `30m`, `12h`, `7d` or `2w` in milliseconds. undefined for anything else. */
export function parseAge(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * units[match[2]!]!;
}
