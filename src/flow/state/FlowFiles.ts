import { dirname } from 'node:path';
import { assemble, type StoredTable } from '../../sinks/assemble.ts';
import { holdsRows } from '../../sinks/formats/fileFormats.ts';
import { fileKindOf, openOutput, type FileKind, type OutputFile, type OutputPosition } from '../../sinks/index.ts';
import { joinRemarks } from '../../sinks/OutputFile.ts';
import { publish } from '../../files/publish.ts';
import { ownFolder } from '../../files/takeWatchedLock.ts';
import { resolvePath } from '../../files/resolvePath.ts';
import { FlowError } from '../../errors/index.ts';
import { columnsOfStage, tableOfStage } from '../definition/columnsOfStage.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import { type FlowFolder, journalFile, modeOf } from './FlowFolder.ts';
import type { CommitRecord } from '../core/events.ts';

const start: OutputPosition = { bytes: 0, rows: 0 };

/**
 * The files that a run's stages write to. Parquet files and databases are made at the end, from rows kept as JSONL in a
 * file of the stage. That file stays, so that a later run can add rows.
 */
export class FlowFiles {
  readonly #flow: Flow;
  readonly #folder: FlowFolder;
  readonly #open = new Map<string, OutputFile>();
  readonly #byStage = new Map<string, readonly OutputFile[]>();
  /** Complete files under their working names. */
  #made: string[] = [];

  constructor(flow: Flow, folder: FlowFolder) {
    this.#flow = flow;
    this.#folder = folder;
  }

  get backlog(): number {
    let bytes = 0;
    for (const file of this.#open.values()) bytes += file.backlog;
    return bytes;
  }

  /** Opens the files where the last commit left them. Of `finished` files, only those without their final names. */
  async open(finished: readonly FlowFile[] | undefined, positions: ReadonlyMap<string, OutputPosition>): Promise<void> {
    const made = requireFormats(this.#flow);
    const drafts = made.filter((file) => this.#folder.has(`${file}.part`));
    if (finished !== undefined) {
      for (const path of positions.keys()) if (this.#folder.has(`${path}.part`)) this.#openOne(path, positions.get(path)!);
      this.#made = drafts;
      return;
    }
    for (const file of drafts) await this.#folder.remove(`${file}.part`); // from an unfinished run
    await this.#takeNamesBack(positions);
    for (const stage of this.#flow.stages) {
      const files = writtenBy(this.#flow, stage).map((name) => this.#openOne(name, positions.get(name) ?? start, stage));
      this.#byStage.set(stage.name, files);
    }
  }

  write(stage: string, rows: readonly object[]): void {
    for (const file of this.#byStage.get(stage) ?? []) for (const row of rows) file.write(row);
  }

  async flush(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), (file) => file.flush()));
  }

  /** Writes everything so far to disk. Returns where each file ends. */
  async commit(): Promise<CommitRecord['files']> {
    const positions = Array.from(this.#open, async ([name, file]) => [name, await file.commit()] as const);
    return Object.fromEntries(await Promise.all(positions));
  }

  /** Writes everything so far. It survives the end of the process, but perhaps not a power cut. undefined: a file can't do that now. */
  flushNow(): CommitRecord['files'] | undefined {
    const positions: [string, OutputPosition][] = [];
    for (const [name, file] of this.#open) {
      const position = file.flushNow();
      if (position === undefined) return undefined;
      positions.push([name, position]);
    }
    return Object.fromEntries(positions);
  }

  /** Saves everything and closes the files. */
  async seal(): Promise<FlowFile[]> {
    const reports = Array.from(this.#open, async ([path, file]) => {
      const report = await file.seal();
      const { rows, bytes, sha256 } = report;
      return { path, rows, bytes, sha256, ...joinRemarks([report]) };
    });
    const sealed = await Promise.all(reports);
    const made: FlowFile[] = [];
    for (const path of new Set(this.#flow.stages.flatMap(madeBy))) made.push(await this.#make(path, sealed));
    return [...sealed, ...made];
  }

  /** Makes a file from the sealed rows of its stages, under its working name. */
  async #make(path: string, sealed: readonly FlowFile[]): Promise<FlowFile> {
    const { fileSystem } = this.#folder;
    const target = resolvePath(path, this.#folder.path, fileSystem);
    fileSystem.makeFolder(dirname(target));
    const tables: StoredTable[] = [];
    let rows = 0;
    try {
      for (const stage of this.#flow.stages.filter(({ outputs }) => outputs.includes(path))) {
        const stored = sealed.find((file) => file.path === rowsOf(stage))!;
        rows += stored.rows;
        const file = fileSystem.open(this.#folder.at(`${stored.path}.part`), 'r');
        const { extra, index = stage.by.length === 0 ? undefined : stage.by.map((field) => field.path) } = stage.written.get(path)!;
        const options = { columns: columnsOfStage(this.#flow, stage, path), extra };
        tables.push({ name: tableOfStage(stage, path), file, bytes: stored.bytes, options, index });
      }
      const made = await assemble(path, `${target}.part`, madeKind(path)!.format, tables, { fileSystem, mode: modeOf(path) });
      this.#made.push(path);
      return { path, rows, ...made };
    } finally {
      for (const { file } of tables) file.close();
    }
  }

  /** Renames the sealed files to their final names. */
  async publish(): Promise<void> {
    if (this.#open.size + this.#made.length === 0) return;
    for (const file of this.#open.values()) await file.finish();
    const { fileSystem } = this.#folder;
    for (const path of this.#made.splice(0)) {
      const target = resolvePath(path, this.#folder.path, fileSystem);
      await publish(`${target}.part`, target, true, fileSystem); // replaces the file of an earlier run
    }
    await this.#folder.syncFile(journalFile);
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
    const columns = stage === undefined ? undefined : columnsOfStage(this.#flow, stage, name);
    const file = openOutput(name, {
      within: path,
      fileSystem,
      lock: false,
      mode: modeOf(name),
      resume,
      ...stage?.written.get(name),
      ...(columns === undefined ? {} : { columns }),
    });
    this.#open.set(name, file);
    return file;
  }

  /** Gives finished files their working names back. */
  async #takeNamesBack(positions: ReadonlyMap<string, OutputPosition>): Promise<void> {
    const { fileSystem } = this.#folder;
    const changed = new Set<string>();
    for (const name of filesOf(this.#flow).filter((one) => !isAssembled(one))) {
      const [file, part] = [this.#folder.at(name), this.#folder.at(`${name}.part`)];
      const finished = fileSystem.stat(file, false);
      if (finished === undefined) continue;
      const there = fileSystem.stat(part, false);
      if (there === undefined && positions.has(name)) fileSystem.rename(file, part);
      // A crash can leave one file under both names. Without this, the finished file would grow in place.
      else if (there?.id === finished.id) fileSystem.unlink(file);
      else throw new FlowError(`${file} isn't a file of this run, and its name is needed at the end. Move it away and run again`);
      changed.add(dirname(file));
    }
    for (const folder of changed) await fileSystem.syncFolder(folder);
    if (changed.size > 0) await this.#folder.syncFile(journalFile);
  }
}

/** Every file that a flow's stages write to, internal ones included. */
export function filesOf(flow: Flow): readonly string[] {
  return [...new Set(flow.stages.flatMap((stage) => [...stage.outputs, ...writtenBy(flow, stage)]))];
}

/** Whether a file is made at the end from rows that wait elsewhere. */
export function isAssembled(path: string): boolean {
  return madeKind(path) !== undefined;
}

function madeKind(path: string): Extract<FileKind, { readonly text: false }> | undefined {
  const kind = fileKindOf(path);
  return kind?.text === false ? kind : undefined;
}

/** The files that are made at the end. Throws a SinkError if a package that makes one isn't installed. */
export function requireFormats({ stages }: Flow): readonly string[] {
  const made = [...new Set(stages.flatMap(madeBy))];
  for (const file of made) madeKind(file)!.requirePackage(file);
  return made;
}

function madeBy({ outputs }: FlowStage): readonly string[] {
  return outputs.filter(isAssembled);
}

/** The files that a stage's rows are written to at once. */
function writtenBy(flow: Flow, stage: FlowStage): readonly string[] {
  const text = stage.outputs.filter((path) => !isAssembled(path));
  // An update compares rows, so it needs them unchanged.
  const hasRows = text.some(isRows);
  const hasGrid = stage.grid !== undefined && stage.outputs.length > 0;
  const isSeen = stage.since !== undefined || stage.seen || stage.series || stage.definition.gone !== undefined;
  const isRead = isSeen || stage.targets.length > 0 || hasGrid;
  const needsRows = text.length < stage.outputs.length || (!hasRows && isRead);
  return needsRows ? [...text, rowsOf(stage)] : text;
}

/** Whether a file has a stage's rows as lines that can be read one by one. */
function isRows(path: string): boolean {
  return holdsRows(path) && fileKindOf(path)!.compression === undefined;
}

/** Where a stage's rows wait for the files that are made from them. */
function rowsOf(stage: FlowStage): string {
  return `${ownFolder}/rows/${stage.index}-${stage.name}.jsonl`; // names may differ only in case
}

/** The file with a stage's unchanged rows, one per line. undefined if there is none. */
export function rowSource(flow: Flow, stage: FlowStage): string | undefined {
  return writtenBy(flow, stage).find(isRows);
}
