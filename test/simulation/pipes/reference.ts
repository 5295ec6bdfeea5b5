import { hashOf } from '../Random.ts';
import { parts, type WorldRow, type WorldTruth } from '../WorldTruth.ts';
import { isAsker, type Asker, type PipeWorld } from './PipeWorld.ts';

/** What a pipe must do, by plain loops over what the service has. */
export interface Expected {
  /** The rows that may come, in the order of a pipe that does one thing after the other. */
  readonly rows: readonly WorldRow[];
  /** The order is promised. */
  readonly ordered: boolean;
  /** All of them must come. Else some. */
  readonly whole: boolean;
  /** How many must come, if that is known. */
  readonly count: number | undefined;
  /** The pages that these loops request. */
  readonly pages: number;
  /** How often each query is walked, by operation and key. */
  readonly walks: ReadonlyMap<string, number>;
  /** A query always fails, and nobody skips it: among those that must be walked, and among those that may be. */
  readonly fails: boolean;
  /** How many queries fail and are skipped. */
  readonly skips: number;
  readonly mayFail: boolean;
}

/** Whether a row passes the step `filter`. */
export const passes = ({ id }: WorldRow): boolean => hashOf(id) % 3 !== 0;

/** Whether each request of a query fails. */
export function isPoisoned({ seed, operations }: PipeWorld, operation: number, key: string): boolean {
  const { mishaps = [] } = operations[operation]!;
  return mishaps.some(({ as, every }, at) => as === '400' && hashOf(seed, `${operation} ${key} `, at) % every === 0);
}

/** Whether a page may stay empty: at the limit of pages, none is requested a second time. */
function mayStayEmpty({ operations }: PipeWorld, { operation, maxPages }: Asker): boolean {
  return maxPages !== undefined && operations[operation]!.mishaps?.some(({ as }) => as === 'emptyPage') === true;
}

export const ownKeys = ({ queries }: PipeWorld): readonly string[] => Array.from({ length: queries }, (_, at) => `k${at}`);

export function expectedOf(world: PipeWorld, truth: WorldTruth): Expected {
  const { fails, walks } = loop(world, truth, false);
  return { ...loop(world, truth, true), walks, mayFail: fails };
}

/** `lazy`: the loops end as soon as enough rows were taken. */
function loop(world: PipeWorld, truth: WorldTruth, lazy: boolean): Omit<Expected, 'mayFail'> {
  const walks = new Map<string, number>();
  let [pages, fails, skips] = [0, false, 0];

  function* walk(step: Asker, key: string, seen: Set<string>): Generator<WorldRow, void, undefined> {
    const { operation, maxPages = Infinity, skip, kind } = step;
    const name = `${operation} ${key}`;
    walks.set(name, (walks.get(name) ?? 0) + 1);
    if (isPoisoned(world, operation, key)) {
      if (skip === true) skips += 1;
      else fails = true;
      return;
    }
    const { size, cap } = world.operations[operation]!;
    const whole = truth.visible(operation, key, 0, undefined, false);
    const isFull = kind === 'split' && whole.length >= (cap ?? Infinity);
    const narrower = isFull ? parts.map((part) => truth.visible(operation, key, 0, `part=${part}`, false)) : [];
    for (const rows of [whole, ...narrower]) {
      for (let from = 0, page = 0; page < maxPages && (from === 0 || from < rows.length); from += size, page++) {
        pages += 1;
        for (const row of rows.slice(from, from + size)) {
          if (kind === 'split' && seen.has(row.id)) continue;
          seen.add(row.id);
          yield row;
        }
      }
    }
  }

  function* ask(step: Asker, rows: Iterable<WorldRow> | undefined): Generator<WorldRow, void, undefined> {
    const asked = new Set<string>();
    const seen = new Set<string>();
    for (const key of rows === undefined ? ownKeys(world) : keysOf(step, rows)) {
      if (step.once === true && asked.has(key)) continue;
      asked.add(key);
      yield* walk(step, key, seen);
    }
  }

  let rows: Iterable<WorldRow> | undefined;
  // Who comes late to what is shared misses what was before.
  const isShared = world.life.kind === 'twice' && world.steps.some(({ kind }) => kind === 'share' || kind === 'shareHeld');
  let [ordered, whole] = [!isShared, !isShared];
  let taken: number | undefined;
  for (const step of world.steps) {
    const above = rows!;
    if (isAsker(step)) {
      rows = ask(step, rows);
      ordered &&= step.concurrency === 1 && !['mergeMap', 'split'].includes(step.kind);
      if (step.kind === 'switchMap') [ordered, whole] = [false, false];
      if (mayStayEmpty(world, step)) whole = false;
      if (!whole) taken = undefined;
    } else if (step.kind === 'take' && lazy && whole && ordered) {
      rows = first(above, step.count);
    } else if (step.kind === 'take') {
      const all = [...above];
      // Which ones depends on the order.
      [rows, whole, taken] = [all, false, whole && !fails ? Math.min(step.count, all.length) : undefined];
    } else if (step.kind === 'filter') {
      rows = [...above].filter(passes);
      if (!whole) taken = undefined;
    } else if (step.kind === 'distinctBy') {
      rows = [...new Map([...above].map((row) => [row.id, row])).values()];
      if (!whole) taken = undefined;
    } else if (step.kind === 'merge') {
      const all = [...above];
      rows = [...all, ...all];
      ordered = false;
      if (taken !== undefined) taken *= 2;
    } else if (step.kind === 'groupBy') ordered = false;
  }
  const all = [...rows!];
  const count = fails ? undefined : whole ? all.length : taken;
  return { rows: all, ordered, whole, count, pages, walks, fails, skips };
}

function* first(rows: Iterable<WorldRow>, count: number): Generator<WorldRow, void, undefined> {
  let left = count;
  for (const row of rows) {
    yield row;
    if (--left === 0) return;
  }
}

function* keysOf(step: Asker, rows: Iterable<WorldRow>): Generator<string, void, undefined> {
  for (const row of rows) yield row[step.from];
}
