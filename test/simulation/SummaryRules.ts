import { createHash } from 'node:crypto';
import type { FlowSummary } from '../../src/flow/index.ts';
import { Broken } from './Broken.ts';
import type { RunFolder } from './RunFolder.ts';
import type { Run, World } from './World.ts';
import { stageName } from './worldFlow.ts';
import type { WorldRow } from './WorldTruth.ts';

/** Where an update is under way. */
const update = '.trawler/update/';

/** What the summary of a finished run says of its folder is so. */
export class SummaryRules {
  readonly #world: World;
  readonly #folder: RunFolder;
  /** The rows of each stage when the run began. undefined: the folder wasn't whole. */
  #before: readonly (readonly WorldRow[])[] | undefined;
  /** What an update had changed whose journal said that it is finished, by the path that the file gets. */
  #merged: ReadonlyMap<string, string | undefined> = new Map();

  constructor(world: World, folder: RunFolder) {
    this.#world = world;
    this.#folder = folder;
  }

  begins(): void {
    this.#before = this.#isWhole() ? this.#allRows() : undefined;
    const isMerged = this.#folder.read(`${update}.trawler/journal.jsonl`)?.includes('"type":"finish"') === true;
    const merged = isMerged ? this.#folder.paths().filter((path) => path.startsWith(`${update}changes/`)) : [];
    this.#merged = new Map(merged.map((path) => [path.slice(update.length), this.#folder.read(path)]));
  }

  /** Finished files are as it says, also while an update of them is under way. */
  checkFiles({ files }: FlowSummary): void {
    for (const { path, bytes, sha256 } of files) {
      if (sha256 === undefined) continue;
      const content = Buffer.from(this.#folder.read(path) ?? 'no file');
      if (content.length !== bytes || createHash('sha256').update(content).digest('hex') !== sha256)
        throw new Broken('files', `${path} has ${content.length} bytes, and ${bytes} are told of`);
    }
  }

  ends({ fate }: Run, summary: FlowSummary): void {
    const left = fate.kind === 'broken' ? undefined : this.#folder.paths().find(isWorking); // what can't be removed stays for now
    if (left !== undefined) throw new Broken('working names', `${left} is left`);
    for (const { name, rows } of summary.stages) {
      const there = this.#folder.linesOf(`${name}.jsonl`).length;
      if (there !== rows) throw new Broken('counts', `${name} has ${there} rows, and ${rows} are counted`);
    }
    const record = this.#folder.linesOf('failures.jsonl') as readonly object[];
    const sumOf = (counter: 'failed' | 'short' | 'capped'): number => summary.stages.reduce((sum, stage) => sum + stage[counter], 0);
    const [failed, full] = [sumOf('failed') + sumOf('short'), record.filter((line) => 'capped' in line).length];
    const onRecord = record.length - full;
    if (failed !== onRecord) throw new Broken('record', `${onRecord} failures are on record, and ${failed} are counted`);
    if (full > sumOf('capped')) throw new Broken('record', `${full} capped queries are on record, and ${sumOf('capped')} are counted`);
    for (const change of summary.changes ?? []) this.#checkChanges(change);
    if (summary.changes === undefined) return;
    for (const [path, text] of this.#merged.entries())
      if (this.#folder.read(path) !== text) throw new Broken('changes', `${path} isn't what it was when the update was finished`);
  }

  /** What an update says it has changed is the difference between the files. */
  #checkChanges({ stage, file, ...counts }: NonNullable<FlowSummary['changes']>[number]): void {
    const lines = this.#folder.linesOf(file) as readonly { readonly change: string; readonly row: WorldRow }[];
    const told = (kind: string): readonly string[] => lines.flatMap(({ change, row }) => (change === kind ? [row.id] : []));
    for (const kind of ['new', 'changed', 'gone'] as const)
      if (told(kind).length !== counts[kind])
        throw new Broken('changes', `${file}: ${counts[kind]} are ${kind}, and ${told(kind).length} named`);
    const number = this.#world.stages.findIndex((_, at) => stageName(at) === stage);
    const before = this.#before?.[number];
    if (before === undefined) return;
    // the page of the row that a query looks for may be another one, and isn't compared
    const textOf = (row: WorldRow): string => JSON.stringify({ ...row, page: undefined });
    const was = new Map(before.map((row) => [row.id, textOf(row)]));
    const rows = this.#folder.rowsOf(number);
    const is = new Set(rows.map(({ id }) => id));
    const expected = {
      new: rows.filter(({ id }) => !was.has(id)).map(({ id }) => id),
      changed: rows.filter((row) => was.has(row.id) && was.get(row.id) !== textOf(row)).map(({ id }) => id),
      gone: this.#world.stages[number]!.gone === 'drop' ? [...was.keys()].filter((id) => !is.has(id)) : told('gone'),
    };
    for (const [kind, ids] of Object.entries(expected)) {
      const named = new Set(told(kind));
      if (ids.length !== named.size || ids.some((id) => !named.has(id)))
        throw new Broken('changes', `${stage}: ${kind} are ${ids.join(' ')}, and named are ${[...named].join(' ')}`);
    }
  }

  /** All files of a finished run have their names. */
  #isWhole(): boolean {
    const hasRows = this.#world.stages.every((_, number) => this.#folder.read(`${stageName(number)}.jsonl`) !== undefined);
    return hasRows && this.#folder.read('.trawler/moving.json') === undefined;
  }

  #allRows(): readonly (readonly WorldRow[])[] {
    return this.#world.stages.map((_, number) => this.#folder.rowsOf(number));
  }
}

/** Whether a file is only there while a run is under way. Those of an update may stay until the next one. */
function isWorking(path: string): boolean {
  return !path.startsWith(update) && (path.endsWith('.part') || path === '.trawler/moving.json');
}
