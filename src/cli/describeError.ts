import { type Io, UsageError } from './Command.ts';
import { escapeForTerminal, escapeLines } from './text/escapeForTerminal.ts';
import { paintFor } from './text/paintFor.ts';
import { wrapLines } from './text/textWidth.ts';

/** What to print for an error: what happened, and what to do. The stack is for TRAWLER_DEBUG only. */
export async function describeError(error: unknown, { env, stderr }: Pick<Io, 'env' | 'stderr'>): Promise<string> {
  const name = paintFor(stderr, env).red('trawler:');
  if (!(error instanceof Error)) return `${name} ${escapeForTerminal(String(error))}\n`;
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE')
    return `${name} The system lets this process open too few files (${code}).\n  It needs 256 at least: ulimit -n 256\n`;
  const lines = [`${name} ${message(error)}`];
  const hint = error instanceof UsageError ? await error.hint() : undefined;
  if (hint !== undefined) lines.push(`  ${escapeLines(hint)}`);
  if (env['TRAWLER_DEBUG']) lines.push(escapeLines(error.stack ?? ''));
  else if (unforeseen(error)) lines.push('  Set TRAWLER_DEBUG=1 to see the stack trace.');
  return `${wrapLines(lines.join('\n'), stderr)}\n`;
}

function message(error: Error): string {
  const because = error.cause instanceof Error ? error.cause.message.split('\n', 1)[0]! : '';
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  const cause = error.message.includes(because) || error.message.includes(`(${code})`) ? '' : ` (${because})`;
  return escapeLines(sayFlags(`${unforeseen(error) ? `${error.name}: ` : ''}${error.message}${cause}`));
}

/** An error not meant for users: from outside trawler, or a bug. */
function unforeseen(error: Error): boolean {
  return error.name === 'TypeError' || error.name === 'ReferenceError' || error.name === 'Error';
}

/**
 * Rewrites the advice of errors for the command line: the library names options in code, but a user has flags.
 * Advice without a matching flag is left out.
 */
export function sayFlags(message: string): string {
  return words.reduce((text, [code, flags]) => text.replaceAll(code, flags), message);
}

const words: readonly (readonly [code: RegExp, flags: string])[] = [
  [/say intoExisting: true/g, 'add --into-existing'],
  [/say overwrite: true(, or append: true)?/g, 'add --overwrite'],
  [/say fresh: true/g, 'add --fresh'],
  [/the store that has its responses/g, 'the store that has its responses (--store DIR)'],
  [/start over with fresh\b/g, 'start over with --fresh'],
  [/run them again with the option 'failures'/g, 'run the same command with --failures'],
  [/Finish it with the option 'update'/g, 'Finish it with --update'],
  [/(?<!['-])\bmaxRequests\b(?![':])/gi, '--max-requests'], // a fault of a flow names its key, in quotes or in its path
  [/\bbaseUrl and pathPrefix\b/g, '--base-url (or TRAWLER_BASE_URL) and --path-prefix'],
  [/\bbaseUrl (\(or \w+\))/g, '--base-url $1'],
  [/\bbaseUrl\b/g, 'the address of the service (--base-url, TRAWLER_BASE_URL or its own variable)'],
  [/\bpathPrefix\b/g, '--path-prefix'],
  [/\bapiKey\b/g, 'TRAWLER_API_KEY'],
  [/; this client sends nothing more/g, ''],
  [/ and make a new client/g, ''],
  [/\blower rate or concurrency\b/g, 'lower --rate or --concurrency'],
  [/\braise timeoutMs\b/g, 'raise --timeout-ms'],
  [/, longer than retry\.maxRetryAfterMs allows/g, ', longer than trawler waits'],
  [/, or raise maxBodyBytes/g, ''],
  [/ than maxBodyBytes/g, ' than 32 MiB'],
  [/, or with retry\.codes/g, ''],
  [/, or allowInsecureHttp/g, ''],
  [/\bcreateClient: /g, ''],
  [/\bstartSandbox: /g, ''],
  [/\b(initQueue|startWorker|leadFlow): /g, ''],
];
