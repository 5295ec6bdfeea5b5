import { FlowError } from '../../errors/index.ts';
import type { OutputPosition, FileSystem } from '../../sinks/index.ts';
import { joinRemarks } from '../../sinks/OutputFile.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import { isAssembled } from './FlowFiles.ts';
import { ownFolder } from '../../files/takeWatchedLock.ts';
import { FlowState } from '../core/FlowState.ts';
import type { OpenQuery } from '../core/Query.ts';
import { journalVersion, type CommitRecord, type FlowEvent, type JournalRecord } from '../core/events.ts';
import { Journal } from './Journal.ts';
import { isDeepStrictEqual } from 'node:util';
import type { FlowDefinition } from '../definition/flowFormat.ts';

/** The state of a run, read from the journal's records one by one. */
export class RunHistory {
  readonly state: FlowState;
  /** When the first run began, in milliseconds since 1970. */
  startedAt: number = Date.now();
  /** When the run began that it retries. Otherwise when it began itself. */
  seenAt: number = this.startedAt;
  /** The finished files. undefined while there is work left. */
  finished: readonly FlowFile[] | undefined;
  finishedAt: number | undefined;
  /** Requests so far, retries included. */
  requests = 0;
  /** Rows of each stage in the previous run in this folder. undefined if there was none. */
  last: { readonly [stage: string]: number } | undefined;
  /** This run updates a finished one. */
  update = false;
  pages = 0;
  /** The last commit may not be on disk. */
  unsynced = false;
  /** The id of the run in destinations. */
  run = '';
  /** Digests of the keys with which pages came. */
  readonly keys: Set<string> = new Set();
  /** The folder of the run that it replaces, within its own. */
  replaces: string | undefined;
  /** The length of each file. */
  positions: ReadonlyMap<string, OutputPosition> = new Map();
  readonly #flow: Flow;
  readonly #folder: string;

  constructor(flow: Flow, folder: string) {
    this.#flow = flow;
    this.#folder = folder;
    this.state = new FlowState(flow);
  }

  /** The current files: the finished ones, or the text files so far. */
  get files(): readonly FlowFile[] {
    if (this.finished !== undefined) return this.finished;
    const own = Array.from(this.positions, ([path, { bytes, rows, remarks }]) => ({ path, rows, bytes, ...remarks }));
    return own.filter(({ path, bytes }) => bytes > 0 && !path.startsWith(ownFolder));
  }

  /**
   * Takes a record from disk. Throws if the journal belongs to another flow. `after` is called with each event once it is in the state, and
   * with its query as it was before.
   */
  replay(record: JournalRecord, after?: (event: FlowEvent, query: OpenQuery | undefined) => void): void {
    if (record.type !== 'commit') return this.add(record);
    for (const event of record.events) {
      const query = after && 'query' in event && event.query !== undefined ? this.state.queries.open.get(event.query) : undefined;
      this.state.evolve(event);
      after?.(event, query);
    }
    this.committed(record, record.events.filter(({ type }) => type === 'PageTaken').length);
  }

  /** Takes a commit whose events are in the state already. */
  committed({ files, requests, key, unsynced }: Omit<CommitRecord, 'events'>, pages: number): void {
    if (key !== undefined) this.keys.add(key);
    this.unsynced = unsynced === true;
    this.positions = new Map([...(this.unsynced ? this.positions : []), ...Object.entries(files)]);
    this.requests += requests;
    this.pages += pages;
  }

  add(record: Exclude<JournalRecord, CommitRecord>): void {
    switch (record.type) {
      case 'flow':
        this.#check(record);
        this.startedAt = record.at;
        this.seenAt = record.retry?.at ?? record.at;
        this.last = record.last;
        this.update = record.update === true;
        this.run = record.run ?? '';
        this.replaces = record.replaces;
        if (record.retry !== undefined) this.state.evolve({ type: 'RetryBegun', ...record.retry });
        break;
      case 'finish':
        if (record.carried !== undefined) this.state.evolve({ type: 'RowsCarried', carried: record.carried });
        this.finished = record.files
          .filter(({ path }) => !path.startsWith(ownFolder))
          .map(({ path, rows, bytes, sha256, ...remarks }) => ({ path, rows, bytes, sha256, ...joinRemarks([remarks]) }));
        // not those of finished databases: other programs may write to them, and a resumed run makes them again
        this.positions = new Map(
          record.files
            .filter(({ path }) => !isAssembled(path))
            .map((file) => [file.path, { bytes: file.bytes, rows: file.rows, sha256: file.sha256, remarks: joinRemarks([file]) }]),
        );
        this.finishedAt = record.at;
        break;
      default:
        this.state.evolve({ type: 'Reopened' });
        this.finished = undefined;
        this.finishedAt = undefined;
    }
  }

  #check({ name, digest, version, definition }: Extract<JournalRecord, { type: 'flow' }>): void {
    const elsewhere = 'another folder, or start over with fresh, which moves its files aside';
    if (version !== journalVersion)
      throw new FlowError(`${this.#folder}: its journal was written by another version of trawler. Choose ${elsewhere}`);
    if (digest === this.#flow.digest) return;
    if (name !== this.#flow.name) throw new FlowError(`${this.#folder} belongs to another flow (${name}). Choose ${elsewhere}`);
    throw new FlowError(
      `${this.#folder} belongs to this flow as it was before it was changed: ${flowChanges(definition, this.#flow.definition)}. With the ` +
        `store that has its responses, the same run starts over and pays for none of them again. Without one, choose ${elsewhere}`,
    );
  }
}

interface OldFlow extends Extract<JournalRecord, { readonly type: 'flow' }> {
  readonly pages: number;
}

/** The flow that a journal was written for, whichever it is. undefined if there is no journal. */
export async function oldFlow(path: string, fileSystem: FileSystem): Promise<OldFlow | undefined> {
  if (fileSystem.stat(path) === undefined) return undefined;
  const journal = Journal.open(path, fileSystem);
  let old: Omit<OldFlow, 'pages'> | undefined;
  let pages = 0;
  try {
    await journal.replay((record) => {
      if (record.type === 'flow') old = record;
      if (record.type === 'commit') pages += record.events.filter(({ type }) => type === 'PageTaken').length;
    });
  } finally {
    journal.close();
  }
  return old && { ...old, pages };
}

/** The changes of a flow since its last run, in words. */
export function flowChanges(before: FlowDefinition | undefined, now: FlowDefinition): string {
  if (before === undefined) return 'its earlier version was not recorded';
  const changes: string[] = [];
  const { stages: old } = before;
  for (const name of Object.keys(old)) if (!Object.hasOwn(now.stages, name)) changes.push(`stage ${name} is gone`);
  for (const [name, stage] of Object.entries(now.stages)) {
    const was = Object.hasOwn(old, name) ? old[name] : undefined;
    if (was === undefined) {
      changes.push(`stage ${name} is new`);
      continue;
    }
    const keys = [...new Set([...Object.keys(was), ...Object.keys(stage)])] as (keyof typeof stage)[];
    const other = keys.filter((key) => !isDeepStrictEqual(was[key], stage[key]));
    if (other.length > 0)
      changes.push(`stage ${name}: ${other.map((key) => `${key} was ${shown(was[key])} and is ${shown(stage[key])}`).join(', ')}`);
  }
  return changes.length === 0 ? 'a value from the environment or the service is another' : changes.join('; ');
}

function shown(value: unknown): string {
  const text = value === undefined ? 'left out' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
