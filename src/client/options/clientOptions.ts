import type { Dispatcher } from 'undici';
import { mostBodyBytes } from '../../contract/decodeBody.ts';
import { type ResponseStore, type Service, failureMeanings } from '../../contract/index.ts';
import type { FileSystem } from '../../files/FileSystem.ts';
import { nodeFileSystem } from '../../files/nodeFileSystem.ts';
import type { ClientOptions, RetryOptions } from '../ClientOptions.ts';
import { EventEmitter } from 'node:events';
import {
  OptionKind,
  anything,
  flag,
  group,
  having,
  like,
  number,
  oneOf,
  tableOf,
  whole,
  declareOptions,
} from '../../../operators/options/index.ts';

const meanings = tableOf(oneOf(...failureMeanings));
const wait = number({ from: 0 });
const share = number({ from: 0, to: 1 });

export const retryOptions = declareOptions<RetryOptions>()({
  maxAttempts: whole({ from: 1 }).or(5),
  baseMs: wait.or(500),
  capMs: wait.or(30_000),
  maxRetryAfterMs: wait.or(300_000),
  totalMs: wait.or(600_000),
  outageMs: wait.or(120_000),
  statuses: meanings,
  codes: meanings,
});

export const clientOptions = declareOptions<ClientOptions & { readonly service?: Service }>()({
  service: anything(),
  baseUrl: anything(),
  apiKey: anything(),
  secrets: anything(),
  pathPrefix: anything(),
  concurrency: whole({ from: 1, to: 10_000 }).or(8),
  rate: anything<NonNullable<ClientOptions['rate']>>().or('auto'),
  retry: group<RetryOptions>(retryOptions).or({}),
  timeoutMs: number({ from: 1 }).or(60_000),
  maxRequests: whole({ from: 0 }).or(Infinity),
  validate: oneOf('report', 'strict', 'off').or('report'),
  maxDriftShare: share.or(0.5),
  maxBodyBytes: whole({ from: 1, to: mostBodyBytes }).or(33_554_432),
  store: having<ResponseStore>('what openStore of trawler/store gives', 'find'),
  ledger: like<string | false>(
    'a path, the address of a PostgreSQL, or false',
    (at) => at === false || (typeof at === 'string' && at !== ''),
  ),
  dispatcher: new OptionKind<Dispatcher, undefined>('a Dispatcher of undici 7 or 8 (npm install undici@7)', isDispatcher, undefined),
  allowInsecureHttp: flag().or(false),
  fileSystem: having<FileSystem>('a file system', 'open').or(nodeFileSystem),
  clock: having('a clock', 'now', 'wall', 'after'),
});

/**
 * Whether requests can be sent through it. The dispatchers of undici 6 and before can't: they report a response to other
 * methods of a handler, so a request would never end. Node 20 and 22 contain such a version. Before undici 7, `compose`
 * made another dispatcher, or was missing. Since then it makes a view of the same one. An object of your own with `dispatch` is fine.
 */
export function isDispatcher(value: unknown): value is Dispatcher {
  if (typeof (value as Partial<Dispatcher> | null)?.dispatch !== 'function') return false;
  return !(value instanceof EventEmitter) || isView((value as Partial<Dispatcher>).compose?.([]), value);
}

function isView(composed: EventEmitter | undefined, emitter: EventEmitter): boolean {
  const probe = Symbol('trawler');
  const listener = (): void => undefined;
  emitter.on(probe, listener);
  const isSame = composed?.listenerCount(probe) === 1;
  emitter.off(probe, listener);
  return isSame;
}
