import { basename, dirname, join, resolve } from 'node:path';
import { getOrInsert } from '../../../operators/kit/once.ts';
import type { Service } from '../../contract/index.ts';
import type { Headline } from '../../flow/report/index.ts';
import { nodeFileSystem } from '../../sinks/index.ts';
import type { RunEntry, RunState, ShownTiles } from '../api.ts';
import { runNotes, readDataPackage } from '../../files/dataPackage.ts';
import { RunTables } from '../data/RunTables.ts';
import { NotFound } from '../NotFound.ts';
import { filesWithin } from '../filesWithin.ts';
import { FolderRun, type FolderRunOptions } from './FolderRun.ts';
import type { LiveRun } from './LiveRun.ts';

interface ShownRunsOptions {
  readonly folder: string;
  readonly service?: Service | undefined;
  readonly live?: LiveRun | undefined;
  readonly price?: number | undefined;
  readonly command?: ((folder: string) => string) | undefined;
  readonly allowRead?: readonly string[] | undefined;
}

/**
 * The runs that a page may show: the run in the folder, those in folders inside of it, and those beside it. A page names a run by its id in
 * this list, so it can't make the server open another path.
 */
export class ShownRuns {
  readonly #folder: string;
  readonly #options: FolderRunOptions;
  readonly #live: LiveRun | undefined;
  readonly #price: number | undefined;
  readonly #runs = new Map<string, FolderRun>();
  readonly #tables = new Map<string, RunTables>();

  constructor({ folder, service, live, price, command = (path) => `trawler run FLOW --out ${path}`, allowRead = [] }: ShownRunsOptions) {
    this.#folder = resolve(folder);
    this.#options = { service, command, allowRead };
    this.#live = live;
    this.#price = price;
  }

  /** All runs, the latest first. */
  async list(): Promise<readonly RunEntry[]> {
    this.#look();
    const entries = await Promise.all(Array.from(this.#runs.values(), (run) => this.#entry(run)));
    return entries.toSorted((one, other) => other.startedAt - one.startedAt);
  }

  /** The id of the run to show first: that of the folder, else the latest one inside of it. */
  async first(): Promise<string> {
    this.#look();
    return this.#live !== undefined || this.#runs.has('') ? '' : ((await this.list())[0]?.id ?? '');
  }

  async state(id: string): Promise<RunState> {
    const state = id === '' && this.#live !== undefined ? this.#live.state(id) : await this.#run(id).state();
    const ended = state.phase === 'done' ? readDataPackage(state.folder, filesWithin([state.folder]))?.trawler : undefined;
    return { ...state, price: this.#price, timing: ended?.timing };
  }

  async tiles(id: string, stage: string): Promise<ShownTiles> {
    return this.#run(id).tiles(stage);
  }

  async headlines(id: string): Promise<readonly Headline[]> {
    return this.#run(id).headlines();
  }

  tables(id: string): RunTables {
    const run = this.#run(id);
    return getOrInsert(this.#tables, id, () => new RunTables(run));
  }

  close(): void {
    for (const tables of this.#tables.values()) tables.close();
  }

  #run(id: string): FolderRun {
    if (!this.#runs.has(id)) this.#look();
    const [only] = this.#runs.size === 1 && id === '' ? this.#runs.values() : []; // the run may have started after the page was opened
    const run = this.#runs.get(id) ?? only;
    if (run === undefined && id !== '') throw new NotFound(`There is no run ${id}. Runs lists those there are.`);
    if (run === undefined) {
      const inside = this.#runs.size === 0 ? '' : ' Runs lists those in its folders.';
      throw new NotFound(`There is no run in ${this.#folder}. Start one: ${this.#options.command(this.#folder)}.${inside}`);
    }
    return run;
  }

  /** Finds runs. Folders that are gone stay in the list until the server ends. */
  #look(): void {
    const isRun = FolderRun.isAt(this.#folder);
    this.#add('', this.#folder);
    for (const name of foldersIn(this.#folder)) this.#add(name, join(this.#folder, name));
    const parent = dirname(this.#folder);
    if (!isRun || parent === this.#folder) return;
    for (const name of foldersIn(parent)) if (name !== basename(this.#folder)) this.#add(`../${name}`, join(parent, name));
  }

  #add(id: string, path: string): void {
    if (!this.#runs.has(id) && FolderRun.isAt(path)) this.#runs.set(id, new FolderRun(id, path, this.#options));
  }

  /** The entry of a run. For a finished run with a sound journal, the data package has everything. */
  async #entry(run: FolderRun): Promise<RunEntry> {
    const { id, path: folder } = run;
    const found = readDataPackage(folder, run.files)?.trawler;
    const history = found === undefined ? [] : runNotes(found);
    const phase = run.phase(true);
    if (found !== undefined && phase === 'done' && (await run.isSound())) {
      return {
        id,
        folder,
        flow: found.flow.name,
        phase,
        outcome: found.outcome as RunEntry['outcome'],
        startedAt: Date.parse(found.startedAt),
        endedAt: Date.parse(found.endedAt),
        requests: found.requests,
        rows: found.stages.reduce((sum, { rows }) => sum + rows, 0),
        drift: found.drift?.length ?? 0,
        history,
      };
    }
    const { flow, phase: now, outcome, startedAt, endedAt, requests, stages, drift } = await this.state(id);
    const rows = stages.reduce((sum, stage) => sum + stage.rows, 0);
    return { id, folder, flow, phase: now, outcome, startedAt, endedAt, requests, rows, drift: drift.length, history }; // prettier-ignore
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    const isFolder = (name: string): boolean => nodeFileSystem.stat(join(folder, name), false)?.kind === 'folder';
    return nodeFileSystem.list(folder).filter((name) => !name.startsWith('.') && isFolder(name));
  } catch {
    return []; // this process may not read it
  }
}
