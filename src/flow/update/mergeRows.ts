import { join } from 'node:path';
import { countOf } from '../../../operators/kit/countOf.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { StageChanges } from '../run/FlowProgress.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { LazyRow } from '../../../operators/LazyRow.ts';
import { holdsRows } from '../../sinks/formats/fileFormats.ts';
import { fieldText, ownColumns, rowKey, DigestMap, DigestSet } from '../core/Dedup.ts';
import { numberIn } from '../report/readHeadlines.ts';
import { lineReader, openRows, readRows, type StoredRow } from '../state/readRows.ts';
import type { FlowView } from '../core/FlowState.ts';
import type { CounterName } from '../core/stageCounters.ts';
import type { EarlierRun } from './EarlierRun.ts';

/**
 * Completes an update. It compares the rows of each stage by their key with those of the run before, in the folder `before`: those that
 * are new, and those that have changed. What is gone is only known of a stage that requested all of its rows and got them. Other rows of
 * the run before are carried over, and so are those that are gone, unless the flow drops them.
 */
export async function mergeRows(flow: Flow, store: RunStorage, before: FlowFolder, changesFolder: string): Promise<StageChanges[]> {
  await store.files.flush();
  const all: StageChanges[] = [];
  for (const stage of flow.stages) {
    if (!isCompared(flow, stage)) continue;
    const source = rowSource(flow, stage)!;
    all.push(
      await mergeStage(stage, {
        source,
        before,
        store,
        file: join(changesFolder, changesFileOf(flow, stage, source)),
        goneUnknown: whyGoneUnknown(store, stage),
      }),
    );
  }
  return all;
}

/** The file's own name; that of the stage where the rows are in a file that the run keeps for itself. */
function changesFileOf(flow: Flow, { name, outputs }: FlowStage, source: string): string {
  const isTaken = flow.stages.some((other) => other.name !== name && other.outputs.includes(`${name}.jsonl`));
  return outputs.includes(source) || isTaken ? source.replace(/^\.trawler\/rows\//, '') : `${name}.jsonl`;
}

/** Whether an update can compare a stage's rows with those before: they are on disk as they came, and can be told apart. */
export function isCompared(flow: Flow, stage: FlowStage): boolean {
  return stage.key.length > 0 && rowSource(flow, stage) !== undefined;
}

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

interface MergeStageOptions {
  /** The file with the stage's rows. */
  readonly source: string;
  /** The folder of the previous run. */
  readonly before: FlowFolder;
  /** The update. */
  readonly store: RunStorage;
  /** Where the changes are listed. */
  readonly file: string;
  /** Why a row that the update didn't find may still be there. undefined: it requested all rows of the stage and got them. */
  readonly goneUnknown: string | undefined;
}

/** Carries a stage's rows over to the update and lists what has changed. */
export async function mergeStage(stage: FlowStage, { source, before, store, file, goneUnknown }: MergeStageOptions): Promise<StageChanges> {
  const counts = { new: 0, changed: 0, gone: 0, rose: 0, fell: 0, up: 0, down: 0 };
  const isWhole = goneUnknown === undefined;
  let [rows, carried] = [0, 0];
  const after = store.folder;
  /** Where each row of the update begins. */
  const found = new DigestMap();
  for await (const { row, at } of readRows(after, source)) {
    rows += 1;
    const key = rowKey(stage, stage.key, row);
    if (!found.has(key)) found.set(key, at);
  }
  const out = after.create(file); // first, because a full disk refuses it
  const fetched = openRows(after, source)!;
  const lineAt = lineReader(fetched);
  const rowAt = (at: number): object => JSON.parse(lineAt(at).toString()) as object;
  const changes: string[] = [];
  const tell = async (line: object): Promise<void> => {
    changes.push(`${JSON.stringify(line)}\n`);
    if (changes.length >= flushRows) await out.write(changes.splice(0).join(''));
  };
  const asBytes = stage.outputs.every(holdsRows);
  const carry = async ({ row, bytes }: StoredRow): Promise<void> => {
    carried += 1;
    store.carry(stage, row, asBytes ? new StoredLine(bytes) : row);
    if (store.files.backlog > flushBytes) await store.files.flush();
  };
  const compare = async (old: object, row: object): Promise<void> => {
    const fields = differences(old, row, stage.volatile);
    if (fields.length === 0) return;
    counts.changed += 1;
    const moves = stage.series ? movesOf(pick(old, fields), pick(row, fields)) : [];
    for (const move of moves) {
      if (isRank(move.field)) counts[move.change === 'rose' ? 'up' : 'down'] += 1;
      else counts[move.change] += 1;
      await tell({ ...move, row });
    }
    const moved = new Set(moves.map(({ field }) => field.split('.')[0]));
    const others = fields.filter((field) => !moved.has(field));
    if (others.length > 0) await tell({ change: 'changed', fields: others, was: pick(old, others), row });
  };
  /** All rows of a series stay. Only those of the run before are compared. */
  const last = stage.series ? store.earlier?.lastSeen(stage) : undefined;
  /** Of rows with one key only the first is compared. */
  const compared = new DigestSet();
  try {
    for await (const stored of readRows(before, source)) {
      const { row } = stored;
      if (stage.series) await carry(stored);
      if (stage.series && (row as Fields)['seen_at'] !== last) continue;
      const key = rowKey(stage, stage.key, row);
      const at = found.get(key);
      const isFirst = compared.add(key);
      if (at !== undefined) {
        if (isFirst) await compare(row, rowAt(at));
        continue;
      }
      if (isWhole && isFirst) {
        counts.gone += 1;
        await tell({ change: 'gone', row });
      }
      if (!stage.series && !(isWhole && stage.gone === 'drop')) await carry(stored);
    }
    const isNew: number[] = [];
    for (const [key, at] of found.entries()) if (!compared.has(key)) isNew.push(at);
    counts.new = isNew.length;
    for (const at of isNew.sort((one, other) => one - other)) await tell({ change: 'new', row: rowAt(at) });
    await out.write(changes.splice(0).join(''));
    await out.save();
    await after.syncName(file);
  } finally {
    fetched.close();
    out.close();
  }
  return {
    stage: stage.name,
    file,
    ...counts,
    ...(isWhole ? {} : { goneUnknown }),
    ...(stage.series ? { rows, all: rows + carried } : {}),
  };
}

interface Fields {
  readonly [field: string]: unknown;
}

/** The names of the fields in which two rows differ. The times they were seen don't count. */
function differences(old: object, row: object, volatile: ReadonlySet<string>): readonly string[] {
  const textIn = (one: object, field: string): string | undefined => fieldText((one as Fields)[field], field, volatile);
  const isOther = (field: string): boolean => textIn(old, field) !== textIn(row, field);
  const fields = [...new Set([...Object.keys(old), ...Object.keys(row)])];
  return fields.filter((field) => !ownColumns.has(field) && !volatile.has(field) && isOther(field));
}

/** A number in a row that rose or fell since another run. */
interface Move {
  readonly change: 'rose' | 'fell';
  readonly field: string;
  readonly was: number;
  readonly is: number;
}

/** Fields in which a smaller number is higher: 1 is the top. */
const rankFields: ReadonlySet<string | undefined> = new Set(['rank', 'page_rank', 'position']);
const isRank = (field: string): boolean => rankFields.has(field.split('.').at(-1));

/** The numbers that rose and fell. */
function movesOf(old: object, row: object): readonly Move[] {
  const before = new Map([...numericFields(old), ...amounts(old, row)]);
  return [...numericFields(row), ...amounts(row, old)].flatMap(([field, is]) => {
    const was = before.get(field);
    if (was === undefined || was === is) return [];
    const isHigher = isRank(field) ? is < was : is > was;
    return [{ change: isHigher ? 'rose' : 'fell', field, was, is } as const];
  });
}

const amount = /^([A-Z]{0,3}\p{Sc}|[A-Z]{3})?\s?\d[\d.,'’ \u00A0\u202F]*?\s?(\p{Sc}|[A-Z]{3})?$/u;

/** The sums of money of a row that are texts, such as `441 USD`, and that another row has in the same currency. */
function amounts(row: object, other: object): readonly (readonly [field: string, value: number])[] {
  const currencyOf = (value: unknown): string => {
    const [, ahead = '', behind = ''] = (typeof value === 'string' && amount.exec(value)) || [];
    return `${ahead} ${behind}`.trim();
  };
  return Object.entries(row).flatMap(([field, value]: [string, unknown]) => {
    const currency = currencyOf(value);
    const sum = currency === '' || currency !== currencyOf((other as Fields)[field]) ? undefined : numberIn(value as string);
    return sum === undefined ? [] : [[field, sum] as const];
  });
}

/** The numbers of a row by their dotted paths. Those in lists have none. */
function numericFields(row: object, before: string = ''): readonly (readonly [field: string, value: number])[] {
  return Object.entries(row).flatMap(([name, value]: [string, unknown]): readonly (readonly [string, number])[] => {
    if (typeof value === 'number') return [[`${before}${name}`, value]];
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? numericFields(value, `${before}${name}.`) : [];
  });
}

function pick(row: object, fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, (row as Fields)[field] ?? null]));
}

interface Run {
  readonly flow: Flow;
  readonly state: FlowView;
  readonly earlier: EarlierRun | undefined;
  readonly history: { readonly update: boolean };
}

/** Whether a run requests all rows of a stage: neither it nor a stage above it requests only what is new, or what the clock says. */
export function requestsAll(run: Run, stage: FlowStage): boolean {
  return whyNotAll(run, stage) === undefined;
}

function whyNotAll(run: Run, stage: FlowStage): string | undefined {
  const { name, since, readsClock, parents } = stage;
  const { flow, state, earlier, history } = run;
  const isFull = !history.update || since === undefined || earlier?.isFull(stage) === true;
  if (state.isRetry) return 'only what had failed was requested';
  if (!isFull) return `only what is new was requested of ${name}`;
  if (readsClock) return `the queries of ${name} count from the day of the run`;
  return firstOf(parents, (parent) => whyNotAll(run, flow.byName.get(parent)!));
}

/** Why a row that a run didn't find may still be there. undefined: it requested all rows of the stage and got them. */
function whyGoneUnknown(run: Run, stage: FlowStage): string | undefined {
  return whyNotAll(run, stage) ?? whyIncomplete(run, stage);
}

const missing: readonly (readonly [counter: CounterName, one: string, many: string])[] = [
  ['capped', 'query was capped', 'queries were capped'],
  ['failed', 'query failed', 'queries failed'],
  ['short', 'query is short', 'queries are short'],
  ['found', 'query stopped at the row it looked for', 'queries stopped at the row they looked for'],
  ['waiting', 'query waits', 'queries wait'],
  ['skipped', 'row was skipped', 'rows were skipped'],
  ['thinPages', 'page seems to lack rows', 'pages seem to lack rows'],
];

function whyIncomplete(run: Run, { name, parents }: FlowStage, asked: string = name): string | undefined {
  const counts = run.state.queries.counts.get(name)!;
  const [counter, one, many] = missing.find(([counter]) => counts[counter] > 0) ?? [];
  if (counter !== undefined) return `${countOf(counts[counter], one!, many)}${name === asked ? '' : ` in ${name}`}`;
  return firstOf(parents, (parent) => whyIncomplete(run, run.flow.byName.get(parent)!, asked));
}

function firstOf(names: readonly string[], find: (name: string) => string | undefined): string | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
