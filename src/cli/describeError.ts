import type { Io } from './Io.ts';
import { sayFlags } from './sayFlags.ts';
import { escapeForTerminal, escapeLines } from './text/escapeForTerminal.ts';
import { paintFor } from './text/paintFor.ts';
import { UsageError } from './UsageError.ts';

/** What to print for an error: what happened, and what to do. The stack is for TRAWLER_DEBUG only. */
export async function describeError(error: unknown, { env, stderr }: Pick<Io, 'env' | 'stderr'>): Promise<string> {
  const name = paintFor(stderr, env).red('trawler:');
  if (!(error instanceof Error)) return `${name} ${escapeForTerminal(String(error))}\n`;
  const lines = [`${name} ${message(error)}`];
  const hint = error instanceof UsageError ? await error.hint() : undefined;
  if (hint !== undefined) lines.push(`  ${escapeLines(hint)}`);
  if (env['TRAWLER_DEBUG']) lines.push(escapeLines(error.stack ?? ''));
  else if (unforeseen(error)) lines.push('  Set TRAWLER_DEBUG=1 to see the stack trace.');
  return `${lines.join('\n')}\n`;
}

function message(error: Error): string {
  const because = error.cause instanceof Error ? error.cause.message.split('\n', 1)[0]! : '';
  const cause = error.message.includes(because) ? '' : ` (${because})`;
  return escapeLines(sayFlags(`${unforeseen(error) ? `${error.name}: ` : ''}${error.message}${cause}`));
}

/** An error not meant for users: from outside trawler, or a bug. */
function unforeseen(error: Error): boolean {
  return error.name === 'TypeError' || error.name === 'ReferenceError' || error.name === 'Error';
}
