import { FlowError } from '../../errors/index.ts';
import type { OutputPosition } from '../../sinks/index.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import { failuresFile } from './FlowFolder.ts';
import { FlowState } from './FlowState.ts';
import type { JournalRecord } from './JournalRecord.ts';

/** What the journal's records say, one after the other. */
export class FlowHistory {
  readonly state: FlowState;
  /** When the first run began; milliseconds since 1970. */
  startedAt: number = Date.now();
  /** The finished files; undefined while there is work. */
  finished: readonly FlowFile[] | undefined;
  finishedAt: number | undefined;
  /** Requests so far, retries included. */
  requests = 0;
  /** How far each file is. */
  positions: ReadonlyMap<string, OutputPosition> = new Map();
  readonly #flow: Flow;
  readonly #folder: string;

  constructor(flow: Flow, folder: string) {
    this.#flow = flow;
    this.#folder = folder;
    this.state = new FlowState(flow);
  }

  /**
   * Takes a record that is read back; false where the files, whose `sizes` are given, don't have what it says they have.
   * Throws where the journal is another flow's.
   */
  replay(record: JournalRecord, sizes: ReadonlyMap<string, number>): boolean {
    if (record.type === 'commit') {
      if (Object.entries(record.files).some(([file, [bytes]]) => bytes > (sizes.get(file) ?? Infinity))) return false;
      for (const step of record.steps) {
        this.state.recall(step);
        this.state.apply(step);
      }
    }
    this.add(record);
    return true;
  }

  /** Takes a record whose steps, if it has any, are in the state already. */
  add(record: JournalRecord): void {
    switch (record.type) {
      case 'flow':
        this.#check(record);
        this.startedAt = record.at;
        break;
      case 'commit':
        this.positions = new Map(Object.entries(record.files).map(([file, [bytes, rows]]) => [file, { bytes, rows }]));
        this.requests += record.requests;
        break;
      case 'finish':
        this.finished = record.files;
        this.finishedAt = record.at;
        break;
      default:
        this.#reopen();
    }
  }

  /** The units that failed wait again, the files are written on, and that of the failures starts anew. */
  #reopen(): void {
    this.state.reopen();
    const positions = new Map(this.positions);
    for (const { path, bytes, rows } of this.finished ?? []) positions.set(path, { bytes, rows });
    positions.delete(failuresFile);
    this.positions = positions;
    this.finished = undefined;
    this.finishedAt = undefined;
  }

  #check({ name, digest }: { readonly name: string; readonly digest: string }): void {
    if (digest === this.#flow.digest) return;
    throw new FlowError(
      `${this.#folder} belongs to another flow (${name}), or to this one as it was before it was changed. Choose another folder, or start afresh, which moves its files aside`,
    );
  }
}
