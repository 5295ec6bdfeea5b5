import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parsedUrl } from '../../operators/kit/parsedUrl.ts';
import type { FlowProgress, FlowSummary } from '../flow/index.ts';
import type { AnyClient } from '../index.ts';
import { endingOf, formatDuration } from '../flow/report/index.ts';
import { type Io, type OptionValues, UsageError } from './Command.ts';
import { sayFlags } from './describeError.ts';
import { ageOption } from './openStoreFor.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';

/** The options of who is told about a run. */
export const tellOptions = {
  'on-end': {
    type: 'string',
    value: 'COMMAND',
    about: 'run a shell command when the run ends or is in trouble, with its summary as JSON on standard input',
  },
  'on-end-timeout': { type: 'string', value: 'TIME', about: 'how long that command may take, such as 5m (60s)' },
  notify: { type: 'string', value: 'URL', about: 'POST the same to an address, signed with TRAWLER_NOTIFY_SECRET (TRAWLER_NOTIFY_URL)' },
} as const;

/** What others are told: counts and outcomes, and neither a row nor a key. */
interface News extends Partial<ReturnType<typeof figuresOf>> {
  /** `end`: the run has ended. `outage`: nothing gets through. `recovered`: it does again. `doubtful`: a stage has ended so. */
  readonly event: 'end' | 'outage' | 'recovered' | 'doubtful';
  readonly flow: string;
  readonly folder: string;
  /** When it happened, in ISO form. */
  readonly at: string;
  /** It in a sentence. */
  readonly text: string;
  readonly exitCode?: number;
}

interface RunTold {
  readonly flow: string;
  readonly folder: string;
  /** The variables that hold secrets of the flow's service. @default none */
  readonly secrets?: readonly string[];
}

/** The pauses between attempts to reach an address. */
const pausesMs = [1000, 3000, 9000];
const timeoutMs = 10_000;

/** Whoever is told about a run, and what they were told. */
export class RunNews {
  readonly #command: ((news: News) => Promise<string | undefined>) | undefined;
  readonly #address: ((news: News) => Promise<string | undefined>) | undefined;
  readonly #stderr: Io['stderr'];
  readonly #about: Pick<RunTold, 'flow' | 'folder'>;
  readonly #doubtful = new Set<string>();
  #summary: FlowSummary | undefined;
  #error: Error | undefined;
  /** Everything so far is told, or has failed to be. One after the other. */
  #told: Promise<boolean> = Promise.resolve(true);

  /** Refuses an address that can't be one. */
  constructor(values: OptionValues<typeof tellOptions>, { env, stderr }: Io, { flow, folder, secrets = [] }: RunTold) {
    const { 'on-end': command, notify = env['TRAWLER_NOTIFY_URL'] || undefined } = values;
    const address = notify === undefined ? undefined : addressOf(notify);
    const limitMs = ageOption('on-end-timeout', values['on-end-timeout']) ?? 60_000;
    this.#command =
      command === undefined ? undefined : (news) => runHook(command, news, { env: withoutOurs(env, secrets), stderr, limitMs });
    this.#address = address && ((news) => post(address, news, env['TRAWLER_NOTIFY_SECRET']));
    this.#stderr = stderr;
    this.#about = { flow, folder };
  }

  /** Takes the events of a run's client. Returns what ends that. */
  watch(client: AnyClient): () => void {
    let isTold = false;
    const events = client.events$.subscribe((event) => {
      if (event.type !== 'outage' || event.state === 'begun') return;
      if (event.state === 'tooLong') void this.#tell('outage', `no request gets through: ${event.because}`);
      else if (isTold) void this.#tell('recovered', 'requests get through again');
      isTold = event.state === 'tooLong';
    });
    return () => events.unsubscribe();
  }

  take(progress: FlowProgress): void {
    if (progress.type === 'summary') this.#summary = progress;
    if (progress.type !== 'progress') return;
    for (const { name, outcome, doubts } of progress.stages) {
      if (outcome !== 'doubtful' || this.#doubtful.has(name)) continue;
      this.#doubtful.add(name);
      void this.#tell('doubtful', `${name} is doubtful: ${doubts.join('; ')}`);
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
    if (summary === undefined) return this.#tell('end', error?.message ?? 'it could not begin', { exitCode });
    const { because } = summary;
    return this.#tell('end', `${endingOf(summary)}${because === undefined ? '' : `: ${because}`}`, { exitCode, ...figuresOf(summary) });
  }

  #tell(event: News['event'], text: string, more: Partial<News> = {}): Promise<boolean> {
    const news = { event, ...this.#about, at: new Date().toISOString(), text: sayFlags(`${this.#about.flow}: ${text}`), ...more };
    this.#told = this.#told.then(async (before) => {
      const faults = [await this.#command?.(news), await this.#address?.(news)].filter((fault) => fault !== undefined);
      for (const fault of faults) this.#stderr.write(`${escapeForTerminal(fault)}\n`);
      return before && faults.length === 0;
    });
    return this.#told;
  }
}

function figuresOf({ outcome, because, requests, retries, price, stages, changes, files }: FlowSummary) {
  return {
    outcome,
    because: because && sayFlags(because),
    requests,
    retries,
    price,
    stages: stages.map(({ name, outcome: end, rows, done, failed, doubts }) => ({ name, outcome: end, rows, done, failed, doubts })),
    changes,
    files: files.map(({ path, rows, bytes }) => ({ path, rows, bytes })),
  };
}

/** The environment without what trawler reads itself: its keys, and those of a database and of a bucket. */
function withoutOurs(env: Io['env'], secrets: readonly string[]): Io['env'] {
  const isOurs = (name: string): boolean => /^(TRAWLER_|AWS_|PG)|_API_KEY$|^DATABASE_URL$/i.test(name) || secrets.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOurs(name)));
}

/**
 * Runs a command of the user, in a group of its own that ends with it when it takes too long. What it prints comes with what trawler
 * says. Returns what went wrong.
 */
function runHook(
  command: string,
  news: News,
  { env, stderr, limitMs }: { readonly env: Io['env']; readonly stderr: Io['stderr']; readonly limitMs: number },
): Promise<string | undefined> {
  const variables = {
    TRAWLER_EVENT: news.event,
    TRAWLER_FLOW: news.flow,
    TRAWLER_FOLDER: news.folder,
    TRAWLER_TEXT: news.text,
    TRAWLER_EXIT_CODE: String(news.exitCode ?? ''),
  };
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, detached: true, env: { ...env, ...variables }, stdio: 'pipe' });
    const timer = setTimeout(() => {
      try {
        process.kill(process.platform === 'win32' ? child.pid! : -child.pid!, 'SIGKILL');
      } catch {
        // it has ended by itself
      }
      for (const stream of child.stdio) stream?.destroy();
      resolve(`The command for '${news.event}' took longer than ${formatDuration(limitMs)}, and was ended.`);
    }, limitMs);
    const end = (fault?: string): void => {
      clearTimeout(timer);
      resolve(fault);
    };
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text: string) => stderr.write(text));
    child.stdin.on('error', () => undefined); // a command needn't read it
    child.stdin.end(`${JSON.stringify(news)}\n`);
    child.on('error', ({ message }) => end(`The command for '${news.event}' can't be run: ${message}`));
    child.on('close', (code, signal) => end(code === 0 ? undefined : `The command for '${news.event}' ended with ${signal ?? code}.`));
  });
}

/** An address, and the login in it, which fetch takes only as a header. */
interface Address {
  readonly url: URL;
  readonly login: { readonly authorization?: string };
}

function addressOf(notify: string): Address {
  const url = parsedUrl(notify);
  try {
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw new RangeError();
    const text = decodeURIComponent(`${url.username}:${url.password}`);
    Object.assign(url, { username: '', password: '' });
    return { url, login: text === ':' ? {} : { authorization: `Basic ${Buffer.from(text).toString('base64')}` } };
  } catch {
    throw new UsageError('--notify takes an address such as https://example.com/hook.');
  }
}

/**
 * Sends it to an address, signed as Standard Webhooks describes it: who has the secret can check who sent it, and when. All attempts have
 * one id. Returns what went wrong; the address may hold a secret, so only its host is named.
 */
async function post({ url, login }: Address, news: News, secret: string | undefined): Promise<string | undefined> {
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify(news);
  for (let attempt = 0; ; attempt += 1) {
    const seconds = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      ...login,
      ...(secret ? { 'webhook-signature': `v1,${signatureOf(`${id}.${seconds}.${body}`, secret)}` } : {}),
    };
    const fault = await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal: AbortSignal.timeout(timeoutMs) }).then(
      async (response) => {
        const { ok, status } = response;
        await response.body?.cancel();
        return ok ? undefined : { isFinal: status < 500 && ![408, 425, 429].includes(status), text: `it answered ${status}` };
      },
      (error: Error) => ({ isFinal: false, text: ((error.cause as Error | undefined) ?? error).message }),
    );
    if (fault === undefined) return undefined;
    const pauseMs = fault.isFinal ? undefined : pausesMs[attempt];
    if (pauseMs === undefined) return `${url.host} wasn't told of '${news.event}': ${fault.text}.`;
    await wait(pauseMs);
  }
}

/** A secret that begins with `whsec_` is base64, any other one is text. */
function signatureOf(text: string, secret: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return createHmac('sha256', key).update(text).digest('base64');
}
