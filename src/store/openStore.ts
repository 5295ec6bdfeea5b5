import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { Store, type StoreMode } from './Store.ts';
import { callback, having, like, number, oneOf, whole, declareOptions, optionError } from '../../operators/options/index.ts';

export interface StoreOptions {
  /**
   * `'reuse'`: read stored responses, request the rest and store it. `'record'`: request everything and store it.
   * `'replay'`: never send a request; a response that isn't stored is an error. @default 'reuse'
   */
  readonly mode?: StoreMode | undefined;
  /**
   * Ignore responses older than this: one age for all operations, or one per operation name, with `'*'` for the others.
   * @default Infinity
   */
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

const age = number({ from: 0 });
const isAge = (value: unknown): boolean => age.fits(value) || (typeof value === 'object' && value !== null);
const storeOptions = declareOptions<StoreOptions>()({
  mode: oneOf('reuse', 'record', 'replay').or('reuse'),
  maxAgeMs: like<NonNullable<StoreOptions['maxAgeMs']>>(age.takes, isAge).or(Infinity),
  segmentBytes: whole({ from: 1, to: 2 ** 31 }).or(1_073_741_824),
  syncMs: number({ from: 0, to: 60_000 }).or(1000),
  now: callback<() => number>().or(Date.now),
  fileSystem: having<FileSystem>('a file system', 'open').or(nodeFileSystem),
});

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
  const { mode, maxAgeMs, segmentBytes, syncMs, now, fileSystem } = storeOptions.read('openStore', options);
  if (typeof folder !== 'string' || folder === '' || folder.includes('\0')) throw optionError('openStore', 'folder', 'a path', folder);
  const ages = typeof maxAgeMs === 'number' ? { '*': maxAgeMs } : maxAgeMs;
  for (const [operation, ms] of Object.entries(ages))
    if (!age.fits(ms)) throw optionError('openStore', `maxAgeMs[${operation}]`, age.takes, ms);
  return new Store(folder, { mode, maxAgeMs: ages, segmentBytes, syncMs, now, fileSystem });
}
