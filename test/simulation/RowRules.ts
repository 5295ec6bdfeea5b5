import type { FlowSummary, StageProgress } from '../../src/flow/index.ts';
import { Broken } from './Broken.ts';
import type { RunFolder } from './RunFolder.ts';
import type { SimulatedService } from './SimulatedService.ts';
import { isThin, type Run, type World, type WorldOperation } from './World.ts';
import { ownKeys, stageName } from './worldFlow.ts';
import { parts, within, type WorldRow } from './WorldTruth.ts';

/** What must be true of the rows of a finished run, against the service's own truth. */
export class RowRules {
  readonly #world: World;
  readonly #service: SimulatedService;
  readonly #folder: RunFolder;
  /** The day of the files. undefined: some rows are of a later one. */
  #day: number | undefined = 0;
  #isFinished = false;
  /** Only what failed on an earlier day is requested again. */
  #isPartial = false;
  /** A walk went on on a later day, when other rows may stand where it had been: an update goes back only to its newest one. */
  #wentOn = false;
  /** What the files come from: an update, or failures that were requested again. */
  #isUpdate = false;
  #isRetry = false;
  /** The run completes a retry of failures that was cut off, whatever it was started for. */
  #completesRetry = false;
  /** The day of the update under way. undefined: it went on for more than one. */
  #updateDay: number | undefined;
  /** A day passed since what is under way began, so its rows are of more than one. */
  #isMixed = false;
  /** So it did at some time, and rows may have moved from one page to another. */
  #wasMixed = false;
  /** An update may have taken stored responses from before it, because the clock was set back: nobody knows the day of its rows. */
  #isTimeless = false;
  /** The rows of each stage at the last end. */
  #rows: readonly (readonly WorldRow[])[] = [];
  /** The files at the last end. */
  #files = '';

  constructor(world: World, service: SimulatedService, folder: RunFolder) {
    this.#world = world;
    this.#service = service;
    this.#folder = folder;
  }

  begins({ failures, update }: Run): void {
    this.#completesRetry = this.#folder.read('.trawler/update/.trawler/journal.jsonl')?.includes('"retry":{') === true;
    if (failures === true && this.#isFinished && this.#day !== this.#service.day) {
      this.#isPartial = true;
      // The next update looks at all rows of a walk that failed and went on, unless the clock says that it went on at once.
      if (this.#world.life.some((step) => step.kind === 'clock' && step.ms < 0)) this.#wentOn = true;
    }
    if (!this.#isFinished || (failures !== true && update !== true)) return;
    if (!this.#folder.hasUpdate) {
      this.#seeFiles();
      [this.#updateDay, this.#isMixed] = [this.#service.day, this.#isMixed && this.#isReopened];
    } else if (this.#updateDay !== this.#service.day) this.#updateDay = undefined;
  }

  dayPassed(): void {
    this.#isMixed = this.#wasMixed = this.#wentOn = true;
  }

  tookOlder(): void {
    this.#isTimeless = this.#wasMixed = true;
  }

  ends({ failures }: Run, summary: FlowSummary): void {
    if (summary.already) this.#seeFiles();
    else {
      this.#isRetry = failures === true || this.#completesRetry;
      this.#isUpdate = summary.update === true;
      this.#day = this.#isDayless ? undefined : this.#isUpdate ? this.#updateDay : this.#service.day;
      this.#files = this.#filesNow;
    }
    this.#isFinished = true;
    this.#isPartial = this.#isMixed = false;
    const bad = summary.stages.find(({ outcome }) => outcome !== 'complete');
    if ((summary.outcome === 'complete') !== (bad === undefined))
      throw new Broken('outcome', `the run is ${summary.outcome}, and ${bad?.name ?? 'no stage'} is ${bad?.outcome ?? 'incomplete'}`);
    this.#checkStages(summary);
  }

  get #isDayless(): boolean {
    return this.#isPartial || this.#isMixed || this.#isTimeless;
  }

  /** Failures of the finished run are being retried, so an update completes that first. */
  get #isReopened(): boolean {
    const journal = this.#folder.read('.trawler/journal.jsonl') ?? '';
    return journal.lastIndexOf('"type":"reopen"') > journal.lastIndexOf('"type":"finish"');
  }

  get #filesNow(): string {
    return JSON.stringify([...this.#folder.finished()]);
  }

  /** If the files aren't those of the last end, an update has replaced them, and was cut off before it said so. */
  #seeFiles(): void {
    const files = this.#filesNow;
    if (this.#files !== files) [this.#day, this.#isUpdate] = [this.#isDayless ? undefined : this.#updateDay, true];
    this.#files = files;
  }

  #checkStages(summary: FlowSummary): void {
    const failures = this.#folder.failures();
    const keys: (readonly string[])[] = [];
    const all: (readonly WorldRow[])[] = [];
    for (const [number, stage] of this.#world.stages.entries()) {
      const { each, from = 'id' } = stage;
      keys[number] =
        each === undefined ? ownKeys(number, stage) : [...new Set(this.#presentRows(each, keys[each]!).map((row) => row[from]))];
      const rows = (all[number] = this.#folder.rowsOf(number));
      this.#checkRows(number, rows);
      this.#checkKept(number, keys[number], rows, summary);
      const isWhole =
        !(this.#wentOn && stage.since === true) && (!this.#isUpdate || this.#above(number).every((one) => this.#isWalked(one, summary)));
      if (this.#day !== undefined && isWhole) this.#checkMissing(number, keys[number], { rows, summary, failures, day: this.#day });
    }
    this.#rows = all;
  }

  /** The rows of an earlier end are still there. `gone: 'drop'`: but for those that the service doesn't have any more. */
  #checkKept(number: number, keys: readonly string[], rows: readonly WorldRow[], summary: FlowSummary): void {
    const ids = new Set(rows.map(({ id }) => id));
    const lost = (this.#rows[number] ?? []).filter(({ id }) => !ids.has(id));
    const day = this.#day;
    const mayDrop = (row: WorldRow): boolean =>
      day === undefined || !this.#visible(number, keyOf(row), day).some(({ id }) => id === row.id) || !keys.includes(keyOf(row));
    const isDropped = this.#world.stages[number]!.gone === 'drop' && (this.#lacksRows(number, summary) || lost.every(mayDrop));
    if (lost.length > 0 && !isDropped) throw new Broken('kept', `${stageName(number)} had ${lost.map(({ id }) => id).join(', ')} before`);
  }

  /** The rows that the queries of a stage for a key can bring. */
  #visible(number: number, key: string, day: number): readonly WorldRow[] {
    const { operation, split, since } = this.#world.stages[number]!;
    const rows = this.#service.truth.rowsOf(operation, key, day);
    if (split === 'area') return rows.filter(isWithin);
    const queries = split === undefined ? [undefined] : narrowest[String(split)]!(rows);
    return queries.flatMap((part) => this.#service.truth.visible(operation, key, day, part, since === true));
  }

  /** Pages of a stage, or of one above it, may lack rows, and nobody can know. */
  #lacksRows(number: number, summary: FlowSummary): boolean {
    return [number, ...this.#above(number)].some((one) => {
      const { thinPages = 0 } = progressOf(summary, one);
      return thinPages === 0 && isThin(this.#world.operations[this.#world.stages[one]!.operation]!);
    });
  }

  /** Each row is the service's, and there once. */
  #checkRows(number: number, rows: readonly WorldRow[]): void {
    const { operation, csv, by } = this.#world.stages[number]!;
    const name = stageName(number);
    const ids = new Set(rows.map(({ id }) => id));
    if (ids.size < rows.length && (by === true || !(this.#wasMixed || repeatsRows(this.#world.operations[operation]!))))
      throw new Broken('twice', `${name} has ${rows.length} rows with ${ids.size} ids`);
    const inCsv = Math.max(0, (this.#folder.read(`${name}.csv`) ?? '').split('\n').length - 2);
    if (csv === true && inCsv !== rows.length) throw new Broken('files', `${name}.csv has ${inCsv} rows, the .jsonl ${rows.length}`);
    for (const row of rows) {
      const isKnown = Array.from({ length: this.#service.day + 1 }).some((_, day) => {
        const known = this.#service.truth.rowsOf(operation, keyOf(row), day).find(({ id }) => id === row.id);
        if (known === undefined) return false;
        const { page, ...own } = row as WorldRow & { readonly page?: number };
        const came = page === undefined ? own : { ...own, rank: known.rank }; // `until` has written them into the row that it looked for
        return JSON.stringify(known) === JSON.stringify(came);
      });
      if (!isKnown) throw new Broken('invented', `${name} has ${JSON.stringify(row)}`);
    }
  }

  /** What is missing is on record, and what is on record is missing. */
  #checkMissing(
    number: number,
    keys: readonly string[],
    {
      rows,
      summary,
      failures,
      day,
    }: {
      readonly rows: readonly WorldRow[];
      readonly summary: FlowSummary;
      readonly failures: ReadonlySet<string>;
      readonly day: number;
    },
  ): void {
    const { operation, pages, limit, split, until, since, gone } = this.#world.stages[number]!;
    const most = Math.min(limit ?? Infinity, (pages ?? Infinity) * this.#world.operations[operation]!.size);
    for (const key of this.#isUpdate || this.#isRetry || split !== undefined ? [] : keys) {
      const got = rows.filter((row) => keyOf(row) === key).length;
      if (got > most) throw new Broken('limit', `${stageName(number)} has ${got} rows of ${key}, and asked for ${most}`);
    }
    if (most < Infinity || until !== undefined || isThin(this.#world.operations[operation]!)) return;
    const { name, outcome } = progressOf(summary, number);
    const ids = new Set(rows.map(({ id }) => id));
    let [expected, missing] = [0, 0];
    for (const key of keys) {
      const wanted = new Set(this.#visible(number, key, day).map(({ id }) => id));
      const lost = [...wanted].filter((id) => !ids.has(id)).length;
      expected += wanted.size;
      missing += lost;
      if (lost > 0 && outcome === 'complete') throw new Broken('complete', `${name} is complete without ${lost} rows of ${key}`);
      if (lost > 0 && !failures.has(`${name} ${key}`))
        throw new Broken('lost', `${name} lacks ${lost} rows of ${key}, and no record says so`);
    }
    const { claims } = this.#world.operations[operation]!;
    if (outcome === 'short' && missing === 0 && claims === 0 && !summary.already && !this.#isUpdate)
      throw new Broken('short', `${name} is short with all of its ${expected} rows`);
    const isDoubtful = [number, ...this.#above(number)].some((one) => (progressOf(summary, one).thinPages ?? 0) > 0); // so rows stay
    const drops =
      gone === 'drop' && since !== true && split === undefined && !this.#isRetry && !isDoubtful && summary.outcome === 'complete';
    if (drops && rows.length !== expected) throw new Broken('gone', `${name} has ${rows.length} rows, and there are ${expected}`);
  }

  /** The rows that aren't gone: those that are kept all the same have nothing below them. */
  #presentRows(stage: number, keys: readonly string[]): readonly WorldRow[] {
    const { operation } = this.#world.stages[stage]!;
    const isPresent = (row: WorldRow): boolean =>
      keys.includes(keyOf(row)) && this.#service.truth.rowsOf(operation, keyOf(row), this.#day ?? 0).some(({ id }) => id === row.id);
    return this.#folder.rowsOf(stage).filter(isPresent);
  }

  /** Whether an update requests all of a stage, so that it comes to all rows below. */
  #isWalked(number: number, summary: FlowSummary): boolean {
    const { operation, since, pages, limit, until } = this.#world.stages[number]!;
    const isFree = since !== true && [pages, limit, until].every((one) => one === undefined);
    const isAll = isFree && !isThin(this.#world.operations[operation]!);
    return isAll && progressOf(summary, number).outcome === 'complete';
  }

  /** The numbers of the stages above one. */
  #above(number: number): readonly number[] {
    const { each } = this.#world.stages[number]!;
    return each === undefined ? [] : [each, ...this.#above(each)];
  }
}

/** The narrowest queries of a stage that splits them, and the widest. */
const narrowest: { readonly [split: string]: (rows: readonly WorldRow[]) => readonly (string | undefined)[] } = {
  true: () => [undefined, ...parts.map((part) => `part=${part}`)],
  range: (rows) => unique(rows.map(({ price }) => `low=${price}&high=${price}`)),
  dates: (rows) => unique(rows.map(({ at }) => `since=${at.slice(0, 10)}&until=${at.slice(0, 10)}`)),
};

const unique = (all: readonly string[]): readonly string[] => [...new Set(all)];

/** Whether a row lies in the area that is searched. */
function isWithin({ longitude = 0, latitude = 0 }: WorldRow): boolean {
  const [west, south, east, north] = within;
  return longitude >= west && longitude <= east && latitude >= south && latitude <= north;
}

/** What a summary says of a stage. It has them in another order. */
export function progressOf({ stages }: FlowSummary, number: number): StageProgress {
  return stages.find(({ name }) => name === stageName(number))!;
}

const keyOf = ({ id }: WorldRow): string => id.slice(id.indexOf('.') + 1, id.lastIndexOf('.'));

/** A short page and a page that comes again overlap in some of their rows. Without `by` all rows of a service are kept. */
function repeatsRows({ mishaps = [] }: WorldOperation): boolean {
  return (['shortPage', 'samePage'] as const).every((wrong) => mishaps.some(({ as }) => as === wrong));
}
