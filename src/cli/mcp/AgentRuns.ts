import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { LruCache } from '../../../operators/kit/LruCache.ts';
import { type Service, variablesOf } from '../../contract/index.ts';
import type { FirstQueries, Flow, Quote } from '../../flow/index.ts';
import type { RunState, ShownRuns, SqlRows, TableInfo } from '../../show/index.ts';
import { type Io, type OptionValues, UsageError } from '../Command.ts';
import type { clientFlags } from '../openClient.ts';
import { AgentFolder, type KeptQuote } from './AgentFolder.ts';
import { faultsOf } from './faultsOf.ts';

interface AgentRunsOptions {
  readonly folder: string;
  readonly service: Service;
  readonly values: OptionValues<typeof clientFlags>;
  readonly io: Io;
}

/** Where a quote and its run stand. */
export interface AgentRun extends KeptQuote {
  /** The most requests that the run may send. undefined: it wasn't started. */
  readonly most: number | undefined;
  /** `starting`: its process has neither begun nor said why it has ended. undefined: it wasn't started. */
  readonly phase: RunState['phase'] | 'starting' | undefined;
  readonly state: RunState | undefined;
  readonly files: readonly TableInfo[];
  /** What its process has said, if it ended before its time. */
  readonly log: string;
}

const maxShown = 4;
const [maxSqlMs, maxCell] = [5000, 1000];

/**
 * The quotes and runs of a folder. All that is known of them is there, so any server of the folder can go on with them. An id is a digest
 * of a flow and of where it runs.
 */
export class AgentRuns {
  readonly #options: AgentRunsOptions;
  readonly #folder: AgentFolder;
  readonly #shown = new LruCache<string, ShownRuns>(maxShown, (shown) => shown.close());

  constructor(options: AgentRunsOptions) {
    this.#options = options;
    this.#folder = new AgentFolder(options.folder);
  }

  get service(): Service {
    return this.#options.service;
  }

  /** The quote of a flow, and what its first queries have taken, if they were run. Sends nothing. */
  async quote(
    definition: object,
    named: string | undefined,
  ): Promise<{ readonly run: AgentRun; readonly first: FirstQueries | undefined }> {
    const sandbox = this.#isSandbox(named);
    const id = this.#idOf(definition, sandbox);
    const faults = faultsOf(definition, this.service);
    if (faults.length > 0) throw new UsageError(`The flow has faults:\n${faults.join('\n')}`);
    const kept = await this.#folder.quote(id);
    if (kept === undefined) await this.#folder.keepDefinition(id, definition);
    const flow = await this.#flow(id);
    const { planFlow, quoteFault } = await import('../../flow/index.ts');
    if (kept !== undefined && quoteFault(kept.quote, flow) !== undefined && (await this.#folder.granted(id)) !== undefined)
      throw new UsageError(`This flow was run already, as ${id}, and the service has changed since. Give the flow another name.`);
    const { quote, first } = await planFlow(flow, { outDir: this.#folder.run(id) });
    await this.#folder.keepQuote(id, { sandbox, quote: { ...quote, id } });
    return { run: await this.run(id), first };
  }

  /**
   * Starts the run of a quote in a process of its own, once: all of it, or only so many first queries. A run that has stopped is resumed,
   * within what was given at first, or within more, if it is given more.
   */
  async start(id: string, most: number, first?: number): Promise<'started' | 'resumed' | 'was started'> {
    const { quote, sandbox } = await this.#kept(id);
    const flow = await this.#flow(id);
    const { quoteFault } = await import('../../flow/index.ts');
    const isSame = this.#idOf(await this.#folder.definition(id), sandbox) === id;
    const changed = isSame ? quoteFault(quote, flow) : 'the server has another service or address';
    if (changed !== undefined) throw new UsageError(`The quote ${id} doesn't hold any more: ${changed}. Make another one.`);
    const within = (given: number): Quote => ({ ...quote, most: given });
    const given = Math.min(most, quote.most ?? Infinity);
    const isFirst = await this.#folder.grant(id, within(given));
    if (!isFirst) {
      const { phase, state, most: before = 0 } = await this.run(id);
      const isOver = phase !== 'starting' && phase !== 'running' && phase !== 'done';
      if (!isOver || (state?.requests ?? 0) >= Math.max(before, given)) return 'was started';
      if (given > before) await this.#folder.grantMore(id, within(given));
    }
    await this.#spawn(id, sandbox, first);
    return isFirst ? 'started' : 'resumed';
  }

  /** Where a quote and its run stand. */
  async run(id: string): Promise<AgentRun> {
    const { quote, sandbox } = await this.#kept(id);
    const most = await this.#folder.granted(id);
    const runs = await this.#show(id);
    const state = await runs.state('').catch(ifNone);
    const isOver = state?.phase !== 'running' && state?.phase !== 'done';
    const isStarting = most !== undefined && isOver && (await this.#folder.isStarting(id));
    const files = state === undefined || state.phase === 'running' ? [] : await runs.tables('').list();
    const log = isOver ? await this.#folder.log(id) : '';
    const phase = isStarting ? 'starting' : (state?.phase ?? (most === undefined ? undefined : 'stopped'));
    return { quote, sandbox, most, phase, state, files, log };
  }

  /** All quotes and runs, the latest first: the id and the name of the flow. */
  async list(): Promise<readonly { readonly id: string; readonly name: string; readonly most: number | undefined }[]> {
    const ids = await this.#folder.ids();
    const found = await Promise.all(
      ids.map(async (id) => ({ id, kept: await this.#folder.quote(id), most: await this.#folder.granted(id) })),
    );
    return found
      .flatMap(({ id, kept, most }) => (kept === undefined ? [] : [{ id, name: kept.quote.name, at: kept.quote.at, most }]))
      .toSorted((one, other) => other.at - one.at);
  }

  /** Tells the process of a run to stop. It ends what is in flight and keeps it. Whether it has ended. */
  async cancel(id: string): Promise<boolean> {
    for (let tries = 0; tries < 12; tries += 1) {
      const { state, phase } = await this.run(id);
      if (phase === undefined) throw new UsageError(`${id} was not started.`);
      if (phase !== 'running' && phase !== 'starting') return true;
      const { holder } = state ?? {};
      if (holder !== undefined && holder.host !== hostname()) throw new UsageError(`It runs on ${holder.host}. Cancel it there.`);
      // a second one would end it at once
      if (holder !== undefined && (await this.#folder.cancel(id, holder.pid))) process.kill(holder.pid, 'SIGTERM');
      await setTimeout(100);
    }
    return false;
  }

  /** Runs SQL over one finished file of a run. */
  async query(id: string, file: string, sql: string, offset: number): Promise<SqlRows> {
    const tables = (await this.#show(id)).tables('');
    const { info } = await tables.spec(file);
    if (info.growing)
      throw new UsageError(
        `${file} is not finished. Query it once status says that the run is done; start resumes a run that was stopped.`,
      );
    return (await tables.table(file)).query(sql, { offset, maxCell, ms: maxSqlMs });
  }

  close(): void {
    this.#shown.clear();
  }

  #isSandbox(named: string | undefined): boolean {
    if (named === 'sandbox') return true;
    if (named === undefined || named === this.service.name) return false;
    throw new UsageError(`There is no service '${named}'. There are: ${this.service.name}, sandbox.`);
  }

  get #baseUrl(): string {
    return this.#options.values['base-url'] ?? this.#options.io.env[variablesOf(this.service).baseUrl] ?? '';
  }

  /** The same flow on the same service has the same id. */
  #idOf(definition: object, sandbox: boolean): string {
    const target = sandbox ? 'sandbox' : [this.service.name, this.#baseUrl];
    return createHash('sha256')
      .update(JSON.stringify([definition, target]))
      .digest('hex')
      .slice(0, 12);
  }

  #valuesFor(sandbox: boolean): OptionValues<typeof clientFlags> {
    const { 'base-url': _, ...rest } = this.#options.values;
    return sandbox ? { ...rest, sandbox } : this.#options.values;
  }

  async #flow(id: string): Promise<Flow> {
    const { loadFlow } = await import('../../flow/index.ts');
    return loadFlow(this.#folder.flow(id), { service: this.service, env: {} });
  }

  async #kept(id: string): Promise<KeptQuote> {
    const kept = await this.#folder.quote(id);
    if (kept === undefined) throw new UsageError(`There is no quote and no run ${id}. status without an id lists them.`);
    return kept;
  }

  async #spawn(id: string, sandbox: boolean, first: number | undefined): Promise<void> {
    const passed = ['service', 'base-url', 'path-prefix', 'concurrency', 'rate', 'timeout-ms'] as const;
    const values = this.#valuesFor(sandbox);
    const options = [
      ...passed.flatMap((name) => (values[name] === undefined ? [] : [`--${name}`, String(values[name])])),
      ...(first === undefined ? [] : ['--first', String(first)]),
      ...(sandbox ? ['--sandbox'] : []),
    ];
    const argv = ['run', this.#folder.flow(id), '--quote', id, '--out', this.#folder.run(id), '--quiet', ...options];
    await using log = await this.#folder.openLog(id);
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...argv], {
      detached: true, // it goes on when this server ends
      stdio: ['ignore', log.fd, log.fd],
      env: this.#options.io.env as NodeJS.ProcessEnv,
      windowsHide: true,
    });
    child.once('error', (error) => this.#options.io.stderr.write(`${error.message}\n`));
    child.unref();
  }

  /** What there is to see of a run. The last ones are kept open. */
  async #show(id: string): Promise<ShownRuns> {
    await this.#kept(id);
    const { ShownRuns } = await import('../../show/index.ts');
    return this.#shown.use(id, () => new ShownRuns({ folder: this.#folder.run(id), service: this.service }));
  }
}

/** The run hasn't begun to write. */
function ifNone(error: Error): undefined {
  if (error.name !== 'NotFound') throw error;
}
