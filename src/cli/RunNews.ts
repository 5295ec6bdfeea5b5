import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parsedUrl } from '../../operators/kit/parsedUrl.ts';
import type { FlowProgress, FlowSummary } from '../flow/index.ts';
import type { AnyClient } from '../index.ts';
import { headlineOf } from '../flow/report/index.ts';
import { type Io, UsageError } from './Command.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';

/** The options of who is told about a run. */
export const tellOptions = {
  'on-end': {
    type: 'string',
    value: 'COMMAND',
    about: 'run a shell command when the run has ended, with its summary as JSON on standard input',
  },
  'on-trouble': {
    type: 'string',
    value: 'COMMAND',
    about: 'run a shell command while the run goes on, for an outage of a minute and for a stage that ends doubtful',
  },
  notify: { type: 'string', value: 'URL', about: 'POST both to an address, signed with TRAWLER_NOTIFY_SECRET (TRAWLER_NOTIFY_URL)' },
} as const;

interface TellValues {
  readonly 'on-end'?: string | undefined;
  readonly 'on-trouble'?: string | undefined;
  readonly notify?: string | undefined;
}

/** What others are told: counts and outcomes, and neither a row nor a key. */
interface News {
  /** `end`: the run has ended. `outage`: nothing has got through for a minute. `recovered`: it does again. `doubtful`: a stage has ended so. */
  readonly event: 'end' | 'outage' | 'recovered' | 'doubtful';
  readonly flow: string;
  readonly folder: string;
  /** When it happened, in ISO form. */
  readonly at: string;
  /** It in a sentence. */
  readonly text: string;
  readonly exitCode?: number | undefined;
  readonly outcome?: FlowSummary['outcome'] | undefined;
  readonly because?: string | undefined;
  readonly requests?: number | undefined;
  readonly retries?: number | undefined;
  readonly price?: number | undefined;
  readonly stages?: readonly StageNews[] | undefined;
  readonly changes?: readonly object[] | undefined;
  readonly files?: readonly { readonly path: string; readonly rows: number; readonly bytes: number }[] | undefined;
}

type StageNews = Pick<FlowSummary['stages'][number], 'name' | 'outcome' | 'rows' | 'done' | 'failed' | 'doubts'>;

/** An outage that is shorter isn't worth a word. */
const outageMs = 60_000;
/** The pauses between attempts to reach an address. */
const pausesMs = [1000, 3000, 9000];
const timeoutMs = 10_000;

/** Whoever is told about a run, and what they were told. */
export class RunNews {
  readonly #values: TellValues;
  readonly #io: Io;
  readonly #about: { readonly flow: string; readonly folder: string };
  readonly #doubtful = new Set<string>();
  #outage: NodeJS.Timeout | 'told' | undefined;
  #summary: FlowSummary | undefined;
  #error: Error | undefined;
  /** Everything so far is told, or has failed to be. One after the other. */
  #told: Promise<boolean> = Promise.resolve(true);

  /** Refuses an address that can't be one. */
  constructor(values: TellValues, io: Io, about: { readonly flow: string; readonly folder: string }) {
    const notify = values.notify ?? (io.env['TRAWLER_NOTIFY_URL'] || undefined);
    if (notify !== undefined && !/^https?:$/.test(parsedUrl(notify)?.protocol ?? ''))
      throw new UsageError('--notify takes an address such as https://example.com/hook.');
    this.#values = { ...values, notify };
    this.#io = io;
    this.#about = about;
  }

  /** Takes the events of a run's client. Returns what ends that. */
  watch(client: AnyClient): () => void {
    const events = client.events$.subscribe((event) => {
      if (event.type !== 'outage') return;
      if (event.state === 'begun') this.#outage ??= setTimeout(() => this.#outageLasts(), outageMs).unref();
      else if (event.state === 'tooLong') this.#outageLasts();
      else {
        if (this.#outage === 'told') void this.#tell('recovered', `${this.#about.flow}: requests get through again`);
        else clearTimeout(this.#outage);
        this.#outage = undefined;
      }
    });
    return () => {
      events.unsubscribe();
      if (this.#outage !== 'told') clearTimeout(this.#outage);
      this.#outage = undefined;
    };
  }

  #outageLasts(): void {
    if (this.#outage === 'told') return;
    clearTimeout(this.#outage);
    this.#outage = 'told';
    void this.#tell('outage', `${this.#about.flow}: no request gets through; those that wait are retried`);
  }

  take(progress: FlowProgress): void {
    if (progress.type === 'summary') this.#summary = progress;
    if (progress.type !== 'progress') return;
    for (const { name, outcome, doubts } of progress.stages) {
      if (outcome !== 'doubtful' || this.#doubtful.has(name)) continue;
      this.#doubtful.add(name);
      void this.#tell('doubtful', `${this.#about.flow}: ${name} is doubtful: ${doubts.join('; ')}`);
    }
  }

  failed(error: Error): void {
    this.#error = error;
  }

  /** A run has failed, and nobody was told yet. */
  get hasFailed(): boolean {
    return this.#error !== undefined;
  }

  /** Tells how the run ended. Resolves, once all is told, to whether everybody could be told. */
  ended(exitCode: number): Promise<boolean> {
    const [summary, error] = [this.#summary, this.#error];
    [this.#summary, this.#error] = [undefined, undefined];
    const { flow } = this.#about;
    const text = summary === undefined ? `${flow}: ${error?.message ?? 'it could not begin'}` : headlineOf(summary);
    return this.#tell('end', text, { exitCode, ...(summary && figuresOf(summary)) });
  }

  #tell(event: News['event'], text: string, more: Partial<News> = {}): Promise<boolean> {
    const news = { event, ...this.#about, at: new Date().toISOString(), text, ...more };
    const { notify, [event === 'end' ? 'on-end' : 'on-trouble']: command } = this.#values;
    this.#told = this.#told.then(async (before) => {
      const faults = [
        command === undefined ? undefined : await runHook(command, news, this.#io),
        notify === undefined ? undefined : await post(notify, news, this.#io.env['TRAWLER_NOTIFY_SECRET']),
      ].filter((fault) => fault !== undefined);
      for (const fault of faults) this.#io.stderr.write(`${escapeForTerminal(fault)}\n`);
      return before && faults.length === 0;
    });
    return this.#told;
  }
}

function figuresOf({ outcome, because, requests, retries, price, stages, changes, files }: FlowSummary): Partial<News> {
  return {
    outcome,
    because,
    requests,
    retries,
    price,
    stages: stages.map(({ name, outcome: end, rows, done, failed, doubts }) => ({ name, outcome: end, rows, done, failed, doubts })),
    changes,
    files: files.map(({ path, rows, bytes }) => ({ path, rows, bytes })),
  };
}

/** Runs a command of the user. What it prints comes with what trawler says. Returns what went wrong. */
function runHook(command: string, news: News, { env, stderr }: Io): Promise<string | undefined> {
  const sum = (pick: (stage: StageNews) => number): string => String((news.stages ?? []).reduce((total, stage) => total + pick(stage), 0));
  const variables = {
    TRAWLER_EVENT: news.event,
    TRAWLER_FLOW: news.flow,
    TRAWLER_FOLDER: news.folder,
    TRAWLER_TEXT: news.text,
    TRAWLER_OUTCOME: news.outcome ?? '',
    TRAWLER_EXIT_CODE: String(news.exitCode ?? ''),
    TRAWLER_REQUESTS: String(news.requests ?? ''),
    TRAWLER_ROWS: sum(({ rows }) => rows),
    TRAWLER_FAILED: sum(({ failed }) => failed),
  };
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, env: { ...env, ...variables }, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text: string) => stderr.write(text));
    child.stdin.on('error', () => undefined); // a command needn't read it
    child.stdin.end(`${JSON.stringify(news)}\n`);
    child.on('error', ({ message }) => resolve(`The command for '${news.event}' can't be run: ${message}`));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `The command for '${news.event}' ended with ${signal ?? code}.`));
  });
}

/**
 * Sends it to an address, signed as Standard Webhooks describes it: who has the secret can check who sent it, and when. All attempts have
 * one id. Returns what went wrong; the address may hold a secret, so only its host is named.
 */
async function post(address: string, news: News, secret: string | undefined): Promise<string | undefined> {
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify(news);
  for (let attempt = 0; ; attempt += 1) {
    const seconds = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      ...(secret ? { 'webhook-signature': `v1,${signatureOf(`${id}.${seconds}.${body}`, secret)}` } : {}),
    };
    const fault = await fetch(address, { method: 'POST', redirect: 'manual', headers, body, signal: AbortSignal.timeout(timeoutMs) }).then(
      async (response) => {
        const { ok, status } = response;
        await response.body?.cancel();
        return ok ? undefined : { isFinal: status < 500 && ![408, 425, 429].includes(status), text: `it answered ${status}` };
      },
      (error: Error) => ({ isFinal: false, text: ((error.cause as Error | undefined) ?? error).message }),
    );
    if (fault === undefined) return undefined;
    const pauseMs = fault.isFinal ? undefined : pausesMs[attempt];
    if (pauseMs === undefined) return `${new URL(address).host} wasn't told of '${news.event}': ${fault.text}.`;
    await wait(pauseMs);
  }
}

/** A secret that begins with `whsec_` is base64, any other one is text. */
function signatureOf(text: string, secret: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return createHmac('sha256', key).update(text).digest('base64');
}
