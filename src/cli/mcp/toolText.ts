import { escapeForTerminal } from '../text/escapeForTerminal.ts';

/** The result of a tool: lines that always come, and a list, whose rest comes with the next cursor. */
export interface ToolText {
  readonly head?: readonly string[];
  readonly lines: readonly string[];
  /** The index of the first of these lines in the whole list. @default 0 */
  readonly from?: number;
  /** There are more than these. @default false */
  readonly more?: boolean;
}

/** Bytes of a result as it is sent. A token has about three at least, so it stays below 24,000 characters and 8,000 tokens. */
const maxBytes = 18_000;
/** The longest line. */
const maxLine = 8000;
const maxError = 3500;

/** The text of a result. `hide` takes secrets out. It has as many lines as fit, and how to get the others. */
export function renderToolText({ head = [], lines, from = 0, more = false }: ToolText, hide: (text: string) => string): string {
  const safe = (line: string): string => cutTo(escapeForTerminal(hide(line)), maxLine);
  const text = head.map(safe);
  let left = maxBytes - text.reduce((sum, line) => sum + bytesOf(line), 0);
  let taken = 0;
  for (const line of lines) {
    const next = safe(line);
    left -= bytesOf(next);
    if (left < 0 && taken > 0) break;
    text.push(next);
    taken += 1;
  }
  if (more || taken < lines.length) text.push(`There is more: call again with cursor ${from + taken}, or ask for less.`);
  return text.join('\n');
}

/** The text of an error. */
export function renderToolError(message: string, hide: (text: string) => string): string {
  return cutTo(hide(message).split('\n').map(escapeForTerminal).join('\n'), maxError);
}

/** A text that is at most so long once it is sent. */
function cutTo(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  let kept = text.slice(0, bytes);
  while (bytesOf(kept) > bytes) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  return `${kept.replace(/[\ud800-\udbff]$/, '')}… (cut: ${text.length} characters)`;
}

/** How many bytes of JSON a line is. */
function bytesOf(line: string): number {
  return Buffer.byteLength(JSON.stringify(line));
}

/** Takes these secrets out of a text, as they are and as JSON has them. */
export function hiding(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter((one) => one.length > 3).flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))];
  return (text) => forms.reduce((hidden, form) => hidden.replaceAll(form, '[secret]'), text);
}
