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

/** The options of the messages about a run. */
export const messageOptions = {
  'on-end': {
    type: 'string',
    value: 'COMMAND',
    about: 'run a shell command when the run ends or is in trouble, with its summary as JSON on standard input',
  },
  'on-end-timeout': { type: 'string', value: 'TIME', about: 'how long that command may take, such as 5m (60s)' },
  notify: { type: 'string', value: 'URL', about: 'POST the same to an address, signed with TRAWLER_NOTIFY_SECRET (TRAWLER_NOTIFY_URL)' },
} as const;

/** A message about a run: counts and outcomes, and neither a row nor a key. */
interface RunMessage extends Partial<ReturnType<typeof figuresOf>> {
  /** `end`: the run has ended. `outage`: nothing gets through. `recovered`: it does again. `doubtful`: a stage has ended so. */
  readonly event: 'end' | 'outage' | 'recovered' | 'doubtful';
  readonly flow: string;
  readonly folder: string;
  /** When it happened, in ISO form. */
  readonly at: string;
  /** What happened, in a sentence. */
  readonly text: string;
  readonly exitCode?: number;
}

interface NotifiedRun {
  readonly flow: string;
  readonly folder: string;
  /** The variables that hold secrets of the flow's service. @default none */
  readonly secrets?: readonly string[];
}

/** The pauses between attempts to reach an address. */
const pausesMs = [1000, 3000, 9000];
const timeoutMs = 10_000;

/** Sends messages about a run to a command and to an address. */
export class RunNotifier {
  readonly #command: ((message: RunMessage) => Promise<string | undefined>) | undefined;
  readonly #address: ((message: RunMessage) => Promise<string | undefined>) | undefined;
  readonly #stderr: Io['stderr'];
  readonly #about: Pick<NotifiedRun, 'flow' | 'folder'>;
  readonly #doubtful = new Set<string>();
  #summary: FlowSummary | undefined;
  #error: Error | undefined;
  /** Resolves once the messages so far are sent, one after the other: whether all of them arrived. */
  #sent: Promise<boolean> = Promise.resolve(true);

  /** Refuses an address that can't be one. */
  constructor(values: OptionValues<typeof messageOptions>, { env, stderr }: Io, { flow, folder, secrets = [] }: NotifiedRun) {
    const { 'on-end': command, notify = env['TRAWLER_NOTIFY_URL'] || undefined } = values;
    const address = notify === undefined ? undefined : addressOf(notify);
    const limitMs = ageOption('on-end-timeout', values['on-end-timeout']) ?? 60_000;
    this.#command =
      command === undefined ? undefined : (message) => runHook(command, message, { env: withoutOurs(env, secrets), stderr, limitMs });
    this.#address = address && ((message) => post(address, message, env['TRAWLER_NOTIFY_SECRET']));
    this.#stderr = stderr;
    this.#about = { flow, folder };
  }

  /** Listens to a client of a run. `service`: which, if it has several. Returns a function that stops it. */
  watch(client: AnyClient, service?: string): () => void {
    const to = service === undefined ? '' : ` to ${service}`;
    let isKnown = false;
    const events = client.events$.subscribe((event) => {
      if (event.type !== 'outage' || event.state === 'begun') return;
      if (event.state === 'tooLong') void this.#send('outage', `no request gets through${to}: ${event.because}`);
      else if (isKnown) void this.#send('recovered', `requests get through${to} again`);
      isKnown = event.state === 'tooLong';
    });
    return () => events.unsubscribe();
  }

  take(progress: FlowProgress): void {
    if (progress.type === 'summary') this.#summary = progress;
    if (progress.type !== 'progress') return;
    for (const { name, outcome, doubts } of progress.stages) {
      if (outcome !== 'doubtful' || this.#doubtful.has(name)) continue;
      this.#doubtful.add(name);
      void this.#send('doubtful', `${name} is doubtful: ${doubts.join('; ')}`);
    }
  }

  failed(error: Error): void {
    this.#error = error;
  }

  /** A run has failed, and no message says so yet. */
  get hasFailed(): boolean {
    return this.#error !== undefined;
  }

  /** Sends how the run ended. Resolves, once all messages are sent, to whether they arrived. */
  ended(exitCode: number): Promise<boolean> {
    const [summary, error] = [this.#summary, this.#error];
    [this.#summary, this.#error] = [undefined, undefined];
    if (summary === undefined) return this.#send('end', error?.message ?? 'it could not begin', { exitCode });
    const { because } = summary;
    return this.#send('end', `${endingOf(summary)}${because === undefined ? '' : `: ${because}`}`, { exitCode, ...figuresOf(summary) });
  }

  #send(event: RunMessage['event'], text: string, more: Partial<RunMessage> = {}): Promise<boolean> {
    const message = { event, ...this.#about, at: new Date().toISOString(), text: sayFlags(`${this.#about.flow}: ${text}`), ...more };
    this.#sent = this.#sent.then(async (before) => {
      const faults = [await this.#command?.(message), await this.#address?.(message)].filter((fault) => fault !== undefined);
      for (const fault of faults) this.#stderr.write(`${escapeForTerminal(fault)}\n`);
      return before && faults.length === 0;
    });
    return this.#sent;
  }
}

function figuresOf({ outcome, because, requests, retries, polls, price, stages, changes, files }: FlowSummary) {
  return {
    outcome,
    because: because && sayFlags(because),
    requests,
    retries,
    polls,
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
 * Runs a command of the user, in a process group that is killed if it takes too long. Its output goes to stderr. Returns what went
 * wrong.
 */
function runHook(
  command: string,
  message: RunMessage,
  { env, stderr, limitMs }: { readonly env: Io['env']; readonly stderr: Io['stderr']; readonly limitMs: number },
): Promise<string | undefined> {
  const variables = {
    TRAWLER_EVENT: message.event,
    TRAWLER_FLOW: message.flow,
    TRAWLER_FOLDER: message.folder,
    TRAWLER_TEXT: message.text,
    TRAWLER_EXIT_CODE: String(message.exitCode ?? ''),
  };
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, detached: true, windowsHide: true, env: { ...env, ...variables }, stdio: 'pipe' });
    const timer = setTimeout(() => {
      try {
        process.kill(process.platform === 'win32' ? child.pid! : -child.pid!, 'SIGKILL');
      } catch {
        // it has ended by itself
      }
      for (const stream of child.stdio) stream?.destroy();
      resolve(`The command for '${message.event}' took longer than ${formatDuration(limitMs)}, and was ended.`);
    }, limitMs);
    const end = (fault?: string): void => {
      clearTimeout(timer);
      resolve(fault);
    };
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text: string) => stderr.write(text));
    child.stdin.on('error', () => undefined); // a command needn't read it
    child.stdin.end(`${JSON.stringify(message)}\n`);
    child.on('error', (error) => end(`The command for '${message.event}' can't be run: ${error.message}`));
    child.on('close', (code, signal) => end(code === 0 ? undefined : `The command for '${message.event}' ended with ${signal ?? code}.`));
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
 * Sends a message to an address, signed as Standard Webhooks describes it: whoever has the secret can check who sent it, and when. All
 * attempts have one id. Returns what went wrong; the address may hold a secret, so only its host is named.
 */
async function post({ url, login }: Address, message: RunMessage, secret: string | undefined): Promise<string | undefined> {
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify(message);
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
        return ok ? undefined : { isFinal: status < 500 && ![408, 425, 429].includes(status), text: `the response was ${status}` };
      },
      (error: Error) => ({ isFinal: false, text: ((error.cause as Error | undefined) ?? error).message }),
    );
    if (fault === undefined) return undefined;
    const pauseMs = fault.isFinal ? undefined : pausesMs[attempt];
    if (pauseMs === undefined) return `${url.host} wasn't told of '${message.event}': ${fault.text}.`;
    await wait(pauseMs);
  }
}

/** A secret that begins with `whsec_` is base64, any other one is text. */
function signatureOf(text: string, secret: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return createHmac('sha256', key).update(text).digest('base64');
}
