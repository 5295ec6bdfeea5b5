import { columnsOf } from '../../contract/index.ts';
import { openOutput, type ColumnChoice, type OutputFile, type OutputPosition } from '../../sinks/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { listOfStage } from '../definition/listOfStage.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import { failuresFile, type FlowFolder } from './FlowFolder.ts';

const start: OutputPosition = { bytes: 0, rows: 0 };

/** The files of a run: those its stages write to, and the one of the failures, which is made when there is one. */
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

  /** What is on disk of each stage's files, under whichever of their names. */
  sizes(): Map<string, number> {
    const names = this.#flow.stages.flatMap((stage) => stage.outputs);
    const size = (name: string): number | undefined => this.#folder.fileSystem.stat(this.#folder.at(name))?.size;
    return new Map(names.map((name) => [name, size(`${name}.part`) ?? size(name) ?? 0]));
  }

  /** Opens the files where the last commit left them; of `finished` ones only those that haven't got their names yet. */
  async open(finished: readonly FlowFile[] | undefined, positions: ReadonlyMap<string, OutputPosition>): Promise<void> {
    if (finished !== undefined) {
      for (const { path, bytes, rows } of finished) if (this.#folder.has(`${path}.part`)) this.#openOne(path, { bytes, rows });
      return;
    }
    await this.#takeNamesBack(positions);
    for (const stage of this.#flow.stages) {
      const files = stage.outputs.map((name) => this.#openOne(name, positions.get(name) ?? start, stage));
      this.#byStage.set(stage.name, files);
    }
    const failures = positions.get(failuresFile);
    if (failures !== undefined) this.#openOne(failuresFile, failures);
  }

  write(stage: string, rows: readonly object[]): void {
    for (const file of this.#byStage.get(stage) ?? []) file.write(rows);
  }

  writeFailure(line: object): void {
    const file = this.#open.get(failuresFile) ?? this.#openOne(failuresFile, start);
    file.write([line]);
  }

  async flush(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), (file) => file.flush()));
  }

  /** What was written so far is on disk; gives how far each file is. */
  async commit(): Promise<{ [path: string]: readonly [bytes: number, rows: number] }> {
    const places = Array.from(this.#open, async ([name, file]) => {
      const { bytes, rows } = await file.commit();
      return [name, [bytes, rows]] as const;
    });
    return Object.fromEntries(await Promise.all(places));
  }

  /** Commits for good. */
  async seal(): Promise<FlowFile[]> {
    const reports = Array.from(this.#open, async ([path, file]) => {
      const { rows, bytes, sha256 } = await file.seal();
      return { path, rows, bytes, sha256 };
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

  /** Files that were finished take their working names again; the failures, which are to be run, start anew. */
  async #takeNamesBack(positions: ReadonlyMap<string, OutputPosition>): Promise<void> {
    const { fileSystem } = this.#folder;
    const failures = positions.has(failuresFile) ? [] : [failuresFile];
    for (const name of failures)
      for (const file of [name, `${name}.part`]) if (this.#folder.has(file)) fileSystem.unlink(this.#folder.at(file));
    const back = Array.from(positions.keys()).filter((name) => this.#folder.has(name) && !this.#folder.has(`${name}.part`));
    for (const name of back) fileSystem.rename(this.#folder.at(name), this.#folder.at(`${name}.part`));
    if (back.length > 0) await fileSystem.syncFolder(this.#folder.path);
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
