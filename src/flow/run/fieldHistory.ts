import { ownFolder } from '../../files/takeWatchedLock.ts';
import { isFilled } from '../../../operators/kit/valuesAt.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { fileKindOf } from '../../sinks/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { readRows, readTextRows } from '../state/readRows.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { requestsAll } from '../update/requestsAll.ts';

/** How a column was filled: the share of rows that have a value, the type of nearly all values, and how many of them differ. */
interface FieldNote {
  readonly filled: number;
  /** 'mixed': values of several types. */
  readonly type: string;
  readonly different: number;
}

/** What the first rows of a stage looked like. `rows`: how many were looked at. */
interface StageFields {
  readonly rows: number;
  readonly fields: { readonly [field: string]: FieldNote };
}

interface RunFields {
  /** Identifies the run: when it began. */
  readonly startedAt: number;
  /** An update that looked for new rows only: these are compared among themselves. */
  readonly stages: { readonly [stage: string]: StageFields & { readonly isNew: boolean } };
}

/** The fields of the runs in a folder, a line for each. It stays when a run starts over. */
const fieldsFile = `${ownFolder}/fields.jsonl`;
const maxRows = 1000;
/** A run is compared with so many before it. */
const maxRuns = 6;

/**
 * Notes what the rows that a run has fetched look like, and compares them with those of the runs before. Returns what fell out of their
 * range, as sentences by stage. `folder`: where the finished run is. `isRepeat`: the run was finished before, and noted then.
 */
export async function noteFields(
  flow: Flow,
  store: RunStorage,
  folder: FlowFolder,
  isRepeat: boolean,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const notes: RunFields[] = [];
  for await (const { row } of readRows(folder, fieldsFile)) notes.push(row as RunFields);
  const { startedAt } = store.history;
  const before = notes.filter((note) => note.startedAt < startedAt);
  let own = notes.find((note) => note.startedAt === startedAt);
  if (!isRepeat) {
    own = { startedAt, stages: await fieldsOfRun(flow, store) };
    await folder.replace(
      fieldsFile,
      [...before.slice(-maxRuns), own].map((note) => `${JSON.stringify(note)}\n`),
    );
  }
  const strange = new Map<string, readonly string[]>();
  for (const [name, stage] of Object.entries(own?.stages ?? {})) {
    const alike = before.map(({ stages }) => ownValue(stages, name)).filter((one) => one?.isNew === stage.isNew);
    const changes = fieldChanges(stage, alike.slice(-maxRuns) as StageFields[]);
    if (changes.length > 0) strange.set(name, changes);
  }
  return strange;
}

async function fieldsOfRun(flow: Flow, store: RunStorage): Promise<RunFields['stages']> {
  await store.files.flush();
  const stages: { [stage: string]: RunFields['stages'][string] } = {};
  for (const stage of flow.stages) {
    const fields = await fieldsOf(flow, stage, store.folder);
    if (fields.rows > 0)
      stages[stage.name] = { isNew: store.history.update && (store.state.isRetry || !requestsAll(stage, flow)), ...fields };
  }
  return stages;
}

async function fieldsOf(flow: Flow, stage: FlowStage, folder: FlowFolder): Promise<StageFields> {
  const path = rowSource(flow, stage) ?? stage.outputs.find((output) => fileKindOf(output)?.text);
  const counts = new FieldCounts();
  if (path !== undefined) for await (const row of readTextRows(stage, folder, path)) if (counts.add(row) === maxRows) break;
  return counts.notes();
}

class FieldCounts {
  #rows = 0;
  readonly #fields = new Map<string, { filled: number; readonly types: Map<string, number>; readonly values: Set<string> }>();

  /** Returns how many rows there are. */
  add(row: object): number {
    this.#rows += 1;
    for (const [name, value] of Object.entries(row)) {
      if (!isFilled(value)) continue;
      const field = this.#fields.get(name) ?? { filled: 0, types: new Map(), values: new Set() };
      this.#fields.set(name, field);
      field.filled += 1;
      const type = typeOf(value);
      field.types.set(type, (field.types.get(type) ?? 0) + 1);
      field.values.add(typeof value === 'string' ? value : JSON.stringify(value));
    }
    return this.#rows;
  }

  notes(): StageFields {
    const rows = this.#rows;
    const fields = Array.from(this.#fields, ([name, { filled, types, values }]) => {
      const type = [...types].find(([, count]) => count >= sameType * filled)?.[0] ?? 'mixed';
      return [name, { filled: Math.round((filled / rows) * 1e4) / 1e4, type, different: values.size }] as const;
    });
    return { rows, fields: Object.fromEntries(fields) };
  }
}

/** Values are of one type if this share of them is. */
const sameType = 0.95;

/** A cell of CSV is text: what reads as a number counts as one. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))) return 'a number';
  return typeof value === 'string' ? 'text' : 'true or false';
}

/** So many values that are expected, and none came: that isn't chance. */
const expectedAtLeast = 10;
/** A share that differs by less isn't worth a word. */
const drift = 0.2;
/** … and neither is one that so many standard errors explain. */
const errors = 4;
const driftRuns = 3;

/** What fell out of the range of the runs before, one sentence each. */
export function fieldChanges(now: StageFields, before: readonly StageFields[]): readonly string[] {
  if (before.length === 0) return [];
  const names = new Set([...before.flatMap(({ fields }) => Object.keys(fields)), ...Object.keys(now.fields)]);
  return [...names].flatMap((name) => {
    const own = ownValue(now.fields, name) ?? { filled: 0, type: 'nothing', different: 0 };
    const earlier = before.map(({ fields }) => ownValue(fields, name));
    const shares = earlier.map((note) => note?.filled ?? 0);
    const [low, high] = [Math.min(...shares), Math.max(...shares)];
    const was = `was filled in ${low === high ? percent(low) : `${percent(low)} to ${percent(high)}`} of the rows in ${lastRuns(before.length)}`;
    if (own.filled === 0) return low * now.rows >= expectedAtLeast ? [`${name} ${was}, now in none`] : [];
    const types = new Set(earlier.flatMap((note) => (note === undefined ? [] : [note.type])));
    const [type] = types;
    const isOther = types.size === 1 && type !== own.type && ![type, own.type].includes('mixed');
    if (isOther && own.filled * now.rows >= expectedAtLeast && low > 0)
      return [`${name} was ${type} in ${lastRuns(before.length)}, now it is ${own.type}`];
    const off = own.filled < low ? low - own.filled : own.filled - high;
    const edge = own.filled < low ? low : high;
    const rows = Math.min(now.rows, ...before.map((one) => one.rows));
    const error = Math.sqrt((edge * (1 - edge) + own.filled * (1 - own.filled)) / rows);
    const isKnown = high > 0 && before.length >= driftRuns;
    return isKnown && off >= drift && off >= errors * error ? [`${name} ${was}, now in ${percent(own.filled)}`] : [];
  });
}

function lastRuns(count: number): string {
  return count === 1 ? 'the last run' : `the last ${count} runs`;
}

function percent(share: number): string {
  return `${share > 0 && share < 0.01 ? '<1' : Math.round(share * 100)} %`;
}
