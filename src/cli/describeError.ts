import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { UsageError } from './UsageError.ts';

/** What to say of an error: what happened, and what to do. The stack is for TRAWLER_DEBUG only. */
export async function describeError(error: unknown, env: { readonly [name: string]: string | undefined }): Promise<string> {
  if (!(error instanceof Error)) return `trawler: ${escapeForTerminal(String(error))}\n`;
  const lines = [`trawler: ${message(error)}`];
  const hint = error instanceof UsageError ? await error.hint() : undefined;
  if (hint !== undefined) lines.push(`  ${escapeLines(hint)}`);
  if (env['TRAWLER_DEBUG']) lines.push(escapeLines(error.stack ?? ''));
  else if (unforeseen(error)) lines.push('  Set TRAWLER_DEBUG=1 to see where it comes from.');
  return `${lines.join('\n')}\n`;
}

function message(error: Error): string {
  const cause = error.cause instanceof Error && !error.message.includes(error.cause.message) ? ` (${error.cause.message})` : '';
  return escapeLines(`${unforeseen(error) ? `${error.name}: ` : ''}${error.message}${cause}`);
}

/** One that isn't made for people: not ours, or a slip of ours. */
function unforeseen(error: Error): boolean {
  return error.name === 'TypeError' || error.name === 'ReferenceError' || error.name === 'Error';
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeForTerminal).join('\n');
}
