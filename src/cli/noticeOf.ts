import type { ClientEvent } from '../index.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';

/** An event as one line for a person who waits for a response. undefined if it isn't worth a line. */
export function noticeOf(event: ClientEvent): string | undefined {
  const line = words(event);
  return line === undefined ? undefined : escapeForTerminal(line);
}

function words(event: ClientEvent): string | undefined {
  switch (event.type) {
    case 'retry':
      return `${event.error.message}; trying again in ${seconds(event.delayMs)}.`;
    case 'throttle':
      return event.pauseMs > 0 ? `The service asks for a pause of ${seconds(event.pauseMs)}.` : undefined;
    case 'drift': {
      const [first] = event.issues;
      const more = event.issues.length > 1 ? ` and ${event.issues.length - 1} more` : '';
      return first === undefined
        ? undefined
        : `${event.operation}: the response isn't as documented: ${first.path}: ${first.message}${more}.`;
    }
    case 'unread':
      return `${event.operation}: the response's rows (${event.items}) are in '${event.list}': --rows ${event.list} reads them.`;
    case 'truncated': {
      const goOn = event.nextCursor === undefined ? '' : ` The next page is at ${String(event.nextCursor)}.`;
      return `${event.operation}: capped after ${event.pages} ${event.pages === 1 ? 'page' : 'pages'} (${event.items} rows).${goOn}`;
    }
    case 'suspect':
      return `${event.operation}: rows may be missing: ${event.message}.`;
    case 'unused':
      return `${event.operation}: no query could be made from any of the ${event.rows} rows.`;
    case 'store':
      return `${event.operation}: ${event.message}.`;
    default:
      return undefined;
  }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
