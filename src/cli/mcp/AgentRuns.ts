import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Service } from '../../contract/index.ts';
import type { Flow, FlowClient, FlowDefinition, FlowSummary, Quote } from '../../flow/index.ts';
import type { RunState, ShownRuns, SqlRows, TableInfo } from '../../show/index.ts';
import type { Io, OptionValues } from '../Command.ts';
import { type clientFlags, openClient } from '../openClient.ts';
import { withheld } from './describeService.ts';

export interface AgentRunsOptions {
  readonly folder: string;
  readonly service: Service;
  readonly values: OptionValues<typeof clientFlags>;
  readonly io: Io;
}

/** A quote as it is kept: where it holds, and what it says. */
interface KeptQuote {
  readonly sandbox: boolean;
  readonly quote: Quote;
}

/** Where a quote and its run stand. */
export interface AgentRun {
  readonly quote: Quote;
  readonly sandbox: boolean;
  /** The most requests that the run may send. undefined: it wasn't started. */
  readonly most: number | undefined;
  /** `starting`: its process has neither begun nor said why it has ended. undefined: it wasn't started. */
  readonly phase: RunState['phase'] | 'starting' | undefined;
  readonly state: RunState | undefined;
  readonly files: readonly TableInfo[];
  /** What a finished run has paid. */
  readonly receipt: FlowSummary['receipt'];
  /** What its process has said, if it ended before its time. */
  readonly log: string;
}

/** A request that can't be fulfilled, and what to do. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** A quote, and the requests of its sample. Without `run`, the sample is still under way. */
interface MadeQuote {
  readonly id: string;
  readonly run?: AgentRun;
  readonly sent?: number;
}

const sampleRequests = 100;
const patienceMs = 20_000; // clients often wait for a minute
const maxShown = 4;
const [maxSqlMs, maxCell] = [5000, 1000];
const startingMs = 20_000;

/**
 * The quotes and runs of a folder. Each has a folder of its own there, named by its id: `flow.json`, `quote.json`, and once it was started
 * `.trawler/quotes`, `log.txt` and the run in `out`. Nothing else is known of them, so any server of the folder can go on with them.
 */
export class AgentRuns {
  readonly #options: AgentRunsOptions;
  readonly #folder: string;
  readonly #shown = new Map<string, ShownRuns>();
  /** Quotes whose samples are under way. */
  readonly #making = new Map<string, Promise<MadeQuote>>();

  constructor(options: AgentRunsOptions) {
    this.#options = options;
    this.#folder = resolve(options.folder);
  }

  get service(): Service {
    return this.#options.service;
  }

  /** The faults of a flow, a line each. Sends nothing. */
  async faults(definition: object): Promise<readonly string[]> {
    const { checkFlow } = await import('../../flow/index.ts');
    const options = { folder: join(this.#folder, 'none'), service: this.service, env: {} };
    const found = checkFlow(definition, options).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    return [...withheldFrom(definition), ...found];
  }

  /**
   * The quote of a flow, which is made if there is none. Only then are requests sent. If that takes long, only the id: the next call waits
   * for the same quote.
   */
  async quote(definition: object, place: string | undefined, sample: number): Promise<MadeQuote> {
    const sandbox = this.#isSandbox(place);
    const id = this.#idOf(definition, sandbox);
    const making = this.#making.get(id) ?? this.#makeQuote(id, definition, sandbox, sample);
    this.#making.set(id, making);
    const forget = (): void => void this.#making.delete(id);
    making.then(forget, forget);
    return Promise.race([making, setTimeout(patienceMs, { id }, { ref: false })]);
  }

  async #makeQuote(id: string, definition: object, sandbox: boolean, sample: number): Promise<MadeQuote> {
    const faults = await this.faults(definition);
    if (faults.length > 0) throw new RefusedError(`The flow has faults, so nothing was sent:\n${faults.join('\n')}`);
    const kept = await this.#read(id);
    if (kept === undefined) {
      await mkdir(join(this.#folder, id), { recursive: true });
      await this.#write(id, 'flow.json', definition);
    }
    const flow = await this.#flow(id);
    const { planFlow, quoteFault } = await import('../../flow/index.ts');
    if (kept !== undefined && quoteFault(kept.quote, flow) === undefined) return { id, run: await this.run(id), sent: 0 };
    if (kept !== undefined && (await this.#most(id)) !== undefined)
      throw new RefusedError(`This flow was run already, as ${id}, and the service has changed since. Give the flow another name.`);
    await using opened = await openClient({ ...this.#valuesFor(sandbox) }, this.service, this.#options.io);
    const client = opened.client as unknown as FlowClient;
    const baseUrl = sandbox ? 'http://localhost' : this.#baseUrl;
    const { quote, sampled } = await planFlow(flow, { client, sample, sampleRequests, baseUrl });
    if (quote === undefined || 'because' in quote) throw new RefusedError(`No quote: ${quote?.because ?? 'nothing was sampled'}.`);
    await this.#write(id, 'quote.json', { sandbox, quote: { ...quote, id } } satisfies KeptQuote);
    return { id, run: await this.run(id), sent: sampled?.requests ?? 0 };
  }

  /** Starts the run of a quote in a process of its own, once. A run that has stopped is resumed, within what was given at first. */
  async start(id: string, most: number): Promise<'started' | 'resumed' | 'was started'> {
    const { quote, sandbox } = await this.#kept(id);
    const flow = await this.#flow(id);
    const { quoteFault } = await import('../../flow/index.ts');
    const isSame = this.#idOf(await this.#definition(id), sandbox) === id;
    const changed = isSame ? quoteFault(quote, flow) : 'the server has another service or address';
    if (changed !== undefined) throw new RefusedError(`The quote ${id} doesn't hold any more: ${changed}. Make another one.`);
    const { requests } = quote;
    const isFirst = await this.#writeOnce(id, { ...quote, requests: { ...requests, high: Math.min(most, requests.high) } });
    if (!isFirst) {
      const { phase, state, most: given = 0 } = await this.run(id);
      const isOver = phase !== 'starting' && phase !== 'running' && phase !== 'done';
      if (!isOver || (state?.requests ?? 0) >= given) return 'was started';
    }
    await this.#spawn(id, sandbox);
    return isFirst ? 'started' : 'resumed';
  }

  /** Where a quote and its run stand. */
  async run(id: string): Promise<AgentRun> {
    const { quote, sandbox } = await this.#kept(id);
    const most = await this.#most(id);
    const runs = await this.#show(id);
    const state = await runs.state('').catch(ifNone);
    const isOver = state?.phase !== 'running' && state?.phase !== 'done';
    const isStarting = most !== undefined && isOver && (await this.#isStarting(id));
    const files = state === undefined || state.phase === 'running' ? [] : await runs.tables('').list();
    const log = isOver ? await readFile(this.#log(id), 'utf8').catch(() => '') : '';
    const phase = isStarting ? 'starting' : (state?.phase ?? (most === undefined ? undefined : 'stopped'));
    const receipt = phase === 'done' ? await this.#receipt(id) : undefined;
    return { quote, sandbox, most, phase, state, files, receipt, log };
  }

  /** All quotes and runs, the latest first: the id and the name of the flow. */
  async list(): Promise<readonly { readonly id: string; readonly name: string; readonly most: number | undefined }[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter(isId);
    const found = await Promise.all(names.map(async (id) => ({ id, kept: await this.#read(id), most: await this.#most(id) })));
    return found
      .flatMap(({ id, kept, most }) => (kept === undefined ? [] : [{ id, name: kept.quote.name, at: kept.quote.at, most }]))
      .toSorted((one, other) => other.at - one.at);
  }

  /** Tells the process of a run to stop. It ends what is in flight and keeps it. Whether it has ended. */
  async cancel(id: string): Promise<boolean> {
    for (let tries = 0; tries < 12; tries += 1) {
      const { state, phase } = await this.run(id);
      if (phase === undefined) throw new RefusedError(`${id} was not started.`);
      if (phase !== 'running' && phase !== 'starting') return true;
      const { holder } = state ?? {};
      if (holder !== undefined && holder.host !== hostname()) throw new RefusedError(`It runs on ${holder.host}. Cancel it there.`);
      if (holder !== undefined) await this.#tell(id, holder.pid);
      await setTimeout(100);
    }
    return false;
  }

  /** Runs SQL over one finished file of a run. */
  async query(id: string, file: string, sql: string, offset: number): Promise<SqlRows> {
    const tables = (await this.#show(id)).tables('');
    const { info } = await tables.spec(file);
    if (info.growing) throw new RefusedError(`${file} is still being written. Query it once status says that the run is done.`);
    return (await (await tables.table(file)).rows()).query(sql, { offset, maxCell, ms: maxSqlMs });
  }

  close(): void {
    for (const shown of this.#shown.values()) shown.close();
    this.#shown.clear();
  }

  #isSandbox(place: string | undefined): boolean {
    if (place === 'sandbox') return true;
    if (place === undefined || place === this.service.name) return false;
    throw new RefusedError(`There is no service '${place}'. There are: ${this.service.name}, sandbox.`);
  }

  get #baseUrl(): string {
    return this.#options.values['base-url'] ?? this.#options.io.env['TRAWLER_BASE_URL'] ?? '';
  }

  /** The same flow at the same place has the same id. */
  #idOf(definition: object, sandbox: boolean): string {
    const place = sandbox ? 'sandbox' : [this.service.name, this.#baseUrl];
    return createHash('sha256')
      .update(JSON.stringify([definition, place]))
      .digest('hex')
      .slice(0, 12);
  }

  #valuesFor(sandbox: boolean): OptionValues<typeof clientFlags> {
    const { 'base-url': _, ...rest } = this.#options.values;
    return sandbox ? { ...rest, sandbox } : this.#options.values;
  }

  async #flow(id: string): Promise<Flow> {
    const { loadFlow } = await import('../../flow/index.ts');
    return loadFlow(join(this.#folder, id, 'flow.json'), { service: this.service, env: {} });
  }

  async #definition(id: string): Promise<object> {
    return JSON.parse(await readFile(join(this.#folder, id, 'flow.json'), 'utf8')) as object;
  }

  async #kept(id: string): Promise<KeptQuote> {
    const kept = await this.#read(id);
    if (kept === undefined) throw new RefusedError(`There is no quote and no run ${id}. status without an id lists them.`);
    return kept;
  }

  async #read(id: string): Promise<KeptQuote | undefined> {
    if (!isId(id)) return undefined;
    return readFile(join(this.#folder, id, 'quote.json'), 'utf8').then((text) => JSON.parse(text) as KeptQuote, ifGone);
  }

  /** What was given to a run. */
  async #most(id: string): Promise<number | undefined> {
    return readFile(this.#granted(id), 'utf8').then((text) => (JSON.parse(text) as Quote).requests.high, ifGone);
  }

  /** The quote that `trawler run --quote` reads. It is there from the first start on. */
  #granted(id: string): string {
    return join(this.#folder, id, '.trawler', 'quotes', `${id}.json`);
  }

  async #receipt(id: string): Promise<AgentRun['receipt']> {
    const path = join(this.#folder, id, 'out', 'datapackage.json');
    const text = await readFile(path, 'utf8').catch(ifGone);
    return text === undefined ? undefined : (JSON.parse(text) as { readonly trawler: Pick<AgentRun, 'receipt'> }).trawler.receipt;
  }

  #log(id: string): string {
    return join(this.#folder, id, 'log.txt');
  }

  /** A process was started, and has said nothing yet. */
  async #isStarting(id: string): Promise<boolean> {
    const log = await stat(this.#log(id)).catch(ifGone);
    const { mtimeMs } = log ?? (await stat(this.#granted(id)));
    return (log?.size ?? 0) === 0 && Date.now() - mtimeMs < startingMs;
  }

  async #write(id: string, name: string, value: object): Promise<void> {
    const path = join(this.#folder, id, name);
    const part = `${path}.${process.pid}.part`;
    await writeFile(part, JSON.stringify(value, undefined, 2));
    await rename(part, path);
  }

  /** Whether this server is the one that has written it. */
  async #writeOnce(id: string, quote: Quote): Promise<boolean> {
    const path = this.#granted(id);
    const part = `${path}.${process.pid}.${performance.now()}.part`;
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(part, JSON.stringify(quote, undefined, 2));
    try {
      await link(part, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      await rm(part);
    }
  }

  async #spawn(id: string, sandbox: boolean): Promise<void> {
    const at = (name: string): string => join(this.#folder, id, name);
    const passed = ['service', 'base-url', 'path-prefix', 'concurrency', 'rate', 'timeout-ms'] as const;
    const values = this.#valuesFor(sandbox);
    const options = passed.flatMap((name) => (values[name] === undefined ? [] : [`--${name}`, String(values[name])]));
    const argv = ['run', at('flow.json'), '--quote', id, '--out', at('out'), '--quiet', ...options, ...(sandbox ? ['--sandbox'] : [])];
    await using log = await open(this.#log(id), 'w');
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...argv], {
      detached: true, // it goes on when this server ends
      stdio: ['ignore', log.fd, log.fd],
      env: this.#options.io.env as NodeJS.ProcessEnv,
      windowsHide: true,
    });
    child.once('error', (error) => this.#options.io.stderr.write(`${error.message}\n`));
    child.unref();
  }

  /** Tells a process to stop, once: a second signal would end it before it has kept what it paid for. */
  async #tell(id: string, pid: number): Promise<void> {
    const path = join(this.#folder, id, 'cancelled');
    if ((await readFile(path, 'utf8').catch(ifGone)) === String(pid)) return;
    await writeFile(path, String(pid));
    process.kill(pid, 'SIGTERM');
  }

  /** What there is to see of a run. The last ones are kept open. */
  async #show(id: string): Promise<ShownRuns> {
    await this.#kept(id);
    const { ShownRuns } = await import('../../show/index.ts');
    const shown = this.#shown.get(id) ?? new ShownRuns({ folder: join(this.#folder, id, 'out'), service: this.service });
    this.#shown.delete(id);
    this.#shown.set(id, shown);
    const [[oldest, first] = []] = this.#shown;
    if (this.#shown.size > maxShown && oldest !== undefined) {
      first?.close();
      this.#shown.delete(oldest);
    }
    return shown;
  }
}

/** Why an agent's flow can't have some keys: it would read what isn't its own, or write it. */
function withheldFrom(definition: object): readonly string[] {
  const { stages } = definition as Partial<FlowDefinition>;
  const own = withheld
    .filter((key) => key !== '$schema' && Object.hasOwn(definition, key))
    .map((key) => `${key}: a flow of an agent can't have it`);
  if (typeof stages !== 'object' || stages === null) return own;
  const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
  return [
    ...own,
    ...Object.entries(stages).flatMap(([name, stage]) => {
      const { each, to } = (stage ?? {}) as { readonly each?: unknown; readonly to?: unknown };
      const isTable = (one: unknown): boolean => /^[\w-]+:/.test(typeof one === 'string' ? one : String((one as { file?: unknown })?.file));
      return [
        ...(listed(each).includes('-') ? [`stages.${name}.each: there is no standard input here`] : []),
        ...(listed(to).some(isTable) ? [`stages.${name}.to: a flow of an agent writes files only`] : []),
      ];
    }),
  ];
}

const isId = (text: string): boolean => /^[0-9a-f]{12}$/.test(text);

function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The run hasn't begun to write. */
function ifNone(error: Error): undefined {
  if (error.name !== 'NotFound') throw error;
}
