import { writeAll } from '../../files/blocks.ts';
import type { RejectedRow } from '../../sinks/destination/Loader.ts';
import { rejectedFile, type FlowFolder } from '../state/FlowFolder.ts';
import { openRows, readLines } from '../state/readRows.ts';

interface Line {
  readonly stage: string;
  readonly to: string;
  readonly at: number;
}

/** The rows of a run that its destinations can't hold: `rejected.jsonl`, with the reason of each. */
export class RejectedRows {
  readonly #folder: FlowFolder;
  /** One change of the file at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: FlowFolder) {
    this.#folder = folder;
  }

  /** Drops what follows a position, because it is loaded again. Returns how many rows stay. */
  cut(stage: string, to: string, position: number): Promise<number> {
    return this.#inTurn(async () => {
      const file = openRows(this.#folder, rejectedFile);
      if (file === undefined) return 0;
      const kept: string[] = [];
      let own = 0;
      for await (const { bytes, whole } of readLines(file)) {
        const text = bytes.toString();
        const line = whole ? lineIn(text) : undefined;
        if (line === undefined) continue; // a crash cut it off, or tore it: it was never synced, so it is loaded again
        const isOwn = line.stage === stage && line.to === to;
        if (isOwn && line.at >= position) continue;
        if (isOwn) own += 1;
        kept.push(`${text}\n`);
      }
      file.close();
      if (kept.length === 0) await this.#folder.remove(rejectedFile);
      else await this.#folder.replace(rejectedFile, kept);
      return own;
    });
  }

  /** Adds rows. They are on disk when this returns. */
  add(stage: string, to: string, rows: readonly RejectedRow[]): Promise<void> {
    return this.#inTurn(async () => {
      const { fileSystem } = this.#folder;
      const path = this.#folder.at(rejectedFile);
      const isNew = fileSystem.stat(path) === undefined;
      const file = fileSystem.open(path, isNew ? 'wx' : 'r+', 0o600);
      try {
        const text = rows.map(({ at, line, reason }) => `${JSON.stringify({ stage, to, at, reason }).slice(0, -1)},"row":${line}}\n`);
        await writeAll(file, Buffer.from(text.join('')), file.size());
        await file.datasync();
        if (isNew) await this.#folder.syncName(rejectedFile);
      } finally {
        file.close();
      }
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function lineIn(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
