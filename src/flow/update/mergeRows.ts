import type { StageChanges } from '../run/FlowProgress.ts';
import { join } from 'node:path';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { DigestMap } from '../state/DigestSet.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { holdsRows } from '../../sinks/formats/fileFormats.ts';
import type { OpenFile } from '../../sinks/index.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { keyOf } from '../query/digestOf.ts';
import { openRows, readRows, type StoredRow } from '../state/readRows.ts';
import type { Reached } from '../state/WalkReach.ts';
import { LazyRow } from '../../../operators/LazyRow.ts';

const ownColumns = new Set(['first_seen', 'last_seen', '_source']);
const flushRows = 1000;
const flushBytes = 1 << 20;

/** A line of a file, to be written again as it is. */
class StoredLine extends LazyRow {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.bytes = bytes;
  }
}

/**
 * Completes an update. Rows of the previous run that this one didn't request again, or didn't find any more, are carried
 * over, and the differences are recorded. `before` is the folder of the previous run, `after` the update's.
 */
export async function mergeRows(
  flow: Flow,
  store: FlowStore,
  before: FlowFolder,
  after: FlowFolder,
  changesFolder: string,
): Promise<StageChanges[]> {
  await store.flushFiles();
  const all: StageChanges[] = [];
  for (const stage of flow.stages) {
    if (!isCompared(flow, stage)) continue;
    const source = rowSource(flow, stage)!;
    all.push(await mergeStage(stage, { source, before, after }, store, join(changesFolder, changesFileOf(flow, stage, source))));
  }
  return all;
}

interface Rows {
  readonly source: string;
  readonly before: FlowFolder;
  readonly after: FlowFolder;
}

async function mergeStage(stage: FlowStage, { source, before, after }: Rows, store: FlowStore, file: string): Promise<StageChanges> {
  const counts = { added: 0, late: store.state.counts.get(stage.name)!.late, changed: 0, gone: 0, unfound: 0 };
  /** Where each row of the update is. */
  const places = new DigestMap();
  for await (const { row, at } of readRows(after, source)) {
    const key = keyOf(row, stage.key);
    if (!places.has(key)) places.set(key, at);
  }
  const fetched = after.fileSystem.open(after.at(`${source}.part`), 'r');
  const lineAt = lineReader(fetched);
  const rowAt = (at: number): object => rowIn(lineAt(at));
  /** By the walk that would have found them, where the rows are that weren't found. */
  const missing = new Map<Reached, number[]>();
  const changes: string[] = [];
  const out = after.openLines(file);
  const tell = async (line: object): Promise<void> => {
    changes.push(`${JSON.stringify(line)}\n`);
    if (changes.length >= flushRows) await out.write(changes.splice(0));
  };
  const asBytes = stage.outputs.every(holdsRows);
  const carry = async ({ row, bytes }: StoredRow): Promise<void> => {
    store.carry(stage, row, asBytes ? new StoredLine(bytes) : row);
    if (store.backlog > flushBytes) await store.flushFiles();
  };
  try {
    for await (const stored of readRows(before, source)) {
      const { row: old } = stored;
      const key = keyOf(old, stage.key);
      const at = places.get(key);
      const walk = at === undefined ? store.walkOver(stage, old) : undefined;
      if (walk !== undefined) {
        places.set(key, gone);
        if (!missing.has(walk)) missing.set(walk, []);
        missing.get(walk)!.push(stored.at);
      }
      if (at === undefined || at === gone) {
        if (places.get(key) !== gone || stage.gone === 'keep') await carry(stored);
      } else if (at !== compared) {
        places.set(key, compared);
        const row = rowAt(at);
        const fields = differences(old, row, stage.volatile);
        if (fields.length === 0) continue;
        counts.changed += 1;
        await tell({ change: 'changed', fields, was: pick(old, fields), row });
      }
    }
    for (const { isGone, ...stored } of settled(missing, before, source)) {
      if (isGone) {
        counts.gone += 1;
        await tell({ change: 'gone', row: stored.row });
      } else {
        counts.unfound += 1;
        if (stage.gone === 'drop') await carry(stored);
      }
    }
    for (const [{ gone: most, marks }, rows] of missing) if (rows.length > most) store.state.forget(marks);
    const added = [...places.values()].filter((at) => at >= 0).sort((one, other) => one - other);
    counts.added = added.length;
    for (const at of added) await tell({ change: 'added', row: rowAt(at) });
    await out.write(changes.splice(0));
  } finally {
    fetched.close();
    await out.close();
  }
  return { stage: stage.name, file, ...counts };
}

/**
 * Rows that weren't found where an update looked. They are gone, unless they are more than the service's numbers allow:
 * then a page lacked some of them, and which ones isn't known.
 */
function* settled(
  missing: ReadonlyMap<Reached, readonly number[]>,
  folder: FlowFolder,
  source: string,
): Generator<StoredRow & { readonly isGone: boolean }, void, undefined> {
  const file = openRows(folder, source);
  if (file === undefined) return;
  const lineAt = lineReader(file);
  try {
    for (const [{ gone: most }, places] of missing) {
      for (const at of places) {
        const bytes = lineAt(at);
        yield { row: rowIn(bytes), bytes, at, isGone: places.length <= most };
      }
    }
  } finally {
    file.close();
  }
}

/** In place of where a row of the update is: it is compared with the one before, or there is none. */
const compared = -1;
const gone = -2;

/** The file's own name; that of the stage where the rows are in a file that the run keeps for itself. */
function changesFileOf(flow: Flow, { name, outputs }: FlowStage, source: string): string {
  const isTaken = flow.stages.some((other) => other.name !== name && other.outputs.includes(`${name}.jsonl`));
  return outputs.includes(source) || isTaken ? source.replace(/^\.trawler\/rows\//, '') : `${name}.jsonl`;
}

/** Reads lines of a file by where they begin. A line is valid until the next one is read. */
function lineReader(file: OpenFile): (at: number) => Buffer {
  let block = Buffer.alloc(1 << 12);
  return (at) => {
    for (;;) {
      const end = block.subarray(0, file.readSync(block, 0, block.length, at)).indexOf(10);
      if (end >= 0) return block.subarray(0, end);
      block = Buffer.alloc(block.length * 4);
    }
  };
}

function rowIn(line: Buffer): object {
  return JSON.parse(line.toString()) as object;
}

/** The names of the fields in which two rows differ. The times they were seen don't count. */
function differences(old: object, row: object, volatile: ReadonlySet<string>): readonly string[] {
  const textOf = (value: unknown, path: string): string | undefined =>
    JSON.stringify(value, function (this: unknown, key, inner: unknown) {
      return this === value && volatile.has(`${path}.${key}`) ? undefined : inner;
    });
  const isOther = (field: string): boolean => textOf((old as Fields)[field], field) !== textOf((row as Fields)[field], field);
  const fields = [...new Set([...Object.keys(old), ...Object.keys(row)])];
  return fields.filter((field) => !ownColumns.has(field) && !volatile.has(field) && isOther(field));
}

function pick(row: object, fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, (row as Fields)[field] ?? null]));
}

interface Fields {
  readonly [field: string]: unknown;
}

/** Whether an update can compare a stage's rows with those before: they are on disk as they came, and can be told apart. */
export function isCompared(flow: Flow, stage: FlowStage): boolean {
  return stage.key.length > 0 && rowSource(flow, stage) !== undefined;
}
