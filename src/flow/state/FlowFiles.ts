import { columnsOf } from '../../contract/index.ts';
import { openOutput, type ColumnChoice, type OutputFile, type OutputPosition } from '../../sinks/index.ts';
import { FlowError } from '../../errors/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { listOfStage } from '../definition/listOfStage.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import type { FlowFolder } from './FlowFolder.ts';
import type { CommitRecord } from './JournalRecord.ts';

const start: OutputPosition = { bytes: 0, rows: 0, crc: 0 };

/** A finished file, with the checksum that a later run knows it by. */
export type SealedFile = FlowFile & Pick<OutputPosition, 'crc'>;

/** The files that a run's stages write to. */
export class FlowFiles {
  readonly #flow: Flow;
  readonly #folder: FlowFolder;
  readonly #open = new Map<string, OutputFile>();
  readonly #byStage = new Map<string, readonly OutputFile[]>();

  constructor(flow: Flow, folder: FlowFolder) {
    this.#flow = flow;
    this.#folder = folder;
  }

  get backlog(): number {
    let bytes = 0;
    for (const file of this.#open.values()) bytes += file.backlog;
    return bytes;
  }

  /** Opens the files where the last commit left them; of `finished` ones only those that haven't got their names yet. */
  async open(finished: readonly FlowFile[] | undefined, positions: ReadonlyMap<string, OutputPosition>): Promise<void> {
    if (finished !== undefined) {
      for (const { path } of finished) if (this.#folder.has(`${path}.part`)) this.#openOne(path, positions.get(path) ?? start);
      return;
    }
    await this.#takeNamesBack(positions);
    for (const stage of this.#flow.stages) {
      const files = stage.outputs.map((name) => this.#openOne(name, positions.get(name) ?? start, stage));
      this.#byStage.set(stage.name, files);
    }
  }

  write(stage: string, rows: readonly object[]): void {
    for (const file of this.#byStage.get(stage) ?? []) file.write(rows);
  }

  async flush(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), (file) => file.flush()));
  }

  /** What was written so far is on disk; gives how far each file is. */
  async commit(): Promise<CommitRecord['files']> {
    const places = Array.from(this.#open, async ([name, file]) => {
      const { bytes, rows, crc } = await file.commit();
      const place: CommitRecord['files'][string] = crc === undefined ? [bytes, rows] : [bytes, rows, crc];
      return [name, place] as const;
    });
    return Object.fromEntries(await Promise.all(places));
  }

  /** Commits for good. */
  async seal(): Promise<SealedFile[]> {
    const reports = Array.from(this.#open, async ([path, file]) => {
      const { rows, bytes, sha256 } = await file.seal();
      const written = await file.commit();
      return { path, rows, bytes, sha256, crc: written.bytes === bytes ? written.crc : undefined };
    });
    return await Promise.all(reports);
  }

  /** Gives the sealed files their names. */
  async publish(): Promise<void> {
    for (const file of this.#open.values()) await file.finish();
    this.#open.clear();
    this.#byStage.clear();
  }

  async close(): Promise<void> {
    for (const file of this.#open.values()) await file.abort();
    this.#open.clear();
    this.#byStage.clear();
  }

  #openOne(name: string, resume: OutputPosition, stage?: FlowStage): OutputFile {
    const { path, fileSystem } = this.#folder;
    const columns = stage === undefined ? undefined : columnsOfStage(stage);
    const file = openOutput(name, { within: path, fileSystem, lock: false, resume, ...(columns === undefined ? {} : { columns }) });
    this.#open.set(name, file);
    return file;
  }

  /** Files that were finished take their working names again. */
  async #takeNamesBack(positions: ReadonlyMap<string, OutputPosition>): Promise<void> {
    const { fileSystem } = this.#folder;
    let changed = false;
    for (const name of this.#flow.stages.flatMap((stage) => stage.outputs)) {
      const [file, part] = [this.#folder.at(name), this.#folder.at(`${name}.part`)];
      const finished = fileSystem.stat(file, false);
      if (finished === undefined) continue;
      const there = fileSystem.stat(part, false);
      if (there === undefined && positions.has(name)) fileSystem.rename(file, part);
      // A crash left both names of one file: without this the finished file would grow in place.
      else if (there?.id === finished.id) fileSystem.unlink(file);
      else throw new FlowError(`${file} isn't a file of this run, and its name is needed at the end. Move it away and run again`);
      changed = true;
    }
    if (changed) await fileSystem.syncFolder(this.#folder.path);
  }
}

/** Columns of a stage's table, the kept ones first; undefined where they aren't known before the first row. */
function columnsOfStage(stage: FlowStage): readonly ColumnChoice[] | undefined {
  const documented = columnsOf(stage.operation, listOfStage(stage));
  const kept = stage.keep.map(([column]) => column);
  if (stage.pick.length === 0) {
    if (documented.length === 0) return undefined;
    return [...kept.map((path) => ({ path })), ...documented.filter(({ path }) => !kept.includes(path))];
  }
  return stage.pick.flatMap(({ path, keys }): readonly ColumnChoice[] => {
    const inside = documented.filter((column) => column.path === path || column.path.startsWith(`${path}.`));
    return inside.length === 0 ? [{ path, keys }] : inside;
  });
}
