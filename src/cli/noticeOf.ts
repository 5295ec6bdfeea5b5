import { describeEvent, type ClientEvent } from '../index.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';

/** An event as one line for a person who waits for a response. undefined if it isn't worth a line. */
export function noticeOf(event: ClientEvent): string | undefined {
  const line = describeEvent(event);
  return line === undefined ? undefined : escapeForTerminal(line);
}
