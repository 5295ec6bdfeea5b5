import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { keyOf } from '../query/keyOf.ts';
import { readRows } from '../state/readRows.ts';

export interface Changes {
  readonly stage: string;
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
}

const ownColumns = new Set(['first_seen', 'last_seen', '_source']);
const flushRows = 1000;

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
): Promise<Changes[]> {
  await store.flushFiles();
  const all: Changes[] = [];
  for (const stage of flow.stages) {
    const source = rowSource(flow, stage);
    if (source !== undefined && stage.key.length > 0) all.push(await mergeStage(stage, source, store, before, after, changesFolder));
  }
  return all;
}

async function mergeStage(
  stage: FlowStage,
  source: string,
  store: FlowStore,
  before: FlowFolder,
  after: FlowFolder,
  changesFolder: string,
): Promise<Changes> {
  const counts = { added: 0, changed: 0, gone: 0 };
  const isWhole = store.isWhole(stage);
  const places = new Map<bigint, number>();
  for await (const { row, at } of readRows(after, source)) places.set(keyOf(row, stage.key), at);
  const fetched = after.fileSystem.open(after.at(`${source}.part`), 'r');
  const known = new Set<bigint>();
  const changes: string[] = [];
  const out = after.openLines(`${changesFolder}/${source.replace(/^\.trawler\/rows\/\d+-/, '')}`);
  const tell = async (line: object): Promise<void> => {
    changes.push(`${JSON.stringify(line)}\n`);
    if (changes.length >= flushRows) await out.write(changes.splice(0));
  };
  try {
    let carried: object[] = [];
    for await (const { row: old } of readRows(before, source)) {
      const key = keyOf(old, stage.key);
      const at = places.get(key);
      if (at !== undefined) {
        if (known.has(key)) continue; // the same row of another query
        known.add(key);
        const row = lineAt(fetched, at);
        const fields = differences(old, row, stage.volatile);
        if (fields.length > 0) {
          counts.changed += 1;
          await tell({ change: 'changed', fields, was: pick(old, fields), row });
        }
        continue;
      }
      if (isWhole) {
        counts.gone += 1;
        await tell({ change: 'gone', row: old });
        if (stage.gone === 'drop') continue;
      }
      carried.push(old);
      if (carried.length < flushRows) continue;
      store.carry(stage, carried);
      carried = [];
      await store.flushFiles();
    }
    store.carry(stage, carried);
    for (const [key, at] of places) {
      if (known.has(key)) continue;
      counts.added += 1;
      await tell({ change: 'added', row: lineAt(fetched, at) });
    }
    await out.write(changes.splice(0));
  } finally {
    fetched.close();
    await out.close();
  }
  return { stage: stage.name, ...counts };
}

function lineAt(file: { readSync(bytes: Uint8Array, offset: number, length: number, position: number): number }, at: number): object {
  let length = 4096;
  for (;;) {
    const bytes = Buffer.alloc(length);
    const read = file.readSync(bytes, 0, length, at);
    const end = bytes.subarray(0, read).indexOf(10);
    if (end >= 0) return JSON.parse(bytes.toString('utf8', 0, end)) as object;
    length *= 4;
  }
}

/** The names of the fields in which two rows differ. The times when they were seen don't count. */
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
