import { checkOptions } from '../../operators/check/checkOptions.ts';
import type { FileSystem } from '../sinks/FileSystem.ts';
import { nodeFileSystem } from '../sinks/nodeFileSystem.ts';
import { Store, type StoreMode } from './Store.ts';

export interface StoreOptions {
  /**
   * `'reuse'`: take what is stored, ask for the rest and store it. `'record'`: ask for everything and store it.
   * `'replay'`: never ask; what isn't stored is an error. @default 'reuse'
   */
  readonly mode?: StoreMode | undefined;
  /** Older responses are not taken: for all operations, or for each by its name, `'*'` for the others. @default Infinity */
  readonly maxAgeMs?: number | { readonly [operation: string]: number } | undefined;
  /** A new segment is begun when one has so many bytes. @default 1073741824 (1 GiB) */
  readonly segmentBytes?: number | undefined;
  /** What is stored is safe from a power cut after this time. @default 1000 */
  readonly syncMs?: number | undefined;
  /** The time, in milliseconds since 1970. A fixed one gives the same bytes for the same responses. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** What the files are read and written through. @default the disk */
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Opens a folder of stored responses for `createClient({ store })`. The folder is made with the first response that is
 * stored. Several processes can share one. Each response is paid for once: the next time it is taken from the folder,
 * which costs no request.
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
