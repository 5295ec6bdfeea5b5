import { countOf } from '../../../operators/kit/countOf.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import type { WalkEvent } from '../../../operators/PageLike.ts';
import type { TrawlerError } from '../../errors/index.ts';
import { channel } from 'node:diagnostics_channel';
import { Subject, type Observable } from 'rxjs';
import { printable } from '../response/errorIn.ts';

/** What every event has. */
interface Base {
  readonly operation: string;
  readonly query: object;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The part of the pipe, if `named` gave it a name. */
  readonly part?: string | undefined;
  /** The purpose of the page: the stage of a flow. */
  readonly label?: string | undefined;
  /** The pages of one query of a flow have the same number. */
  readonly walk?: number | undefined;
}

/** An event of a call. All events of one call have the same `id`. */
interface OfCall extends Base {
  readonly id: number;
  /** Counts from 1. */
  readonly attempt: number;
}

interface OfPage {
  /** Size of the body, decompressed. */
  readonly bytes: number;
  readonly items: number;
  readonly requestId: string;
}

type OfWalk<Type extends WalkEvent['type']> = Base & Omit<Extract<WalkEvent, { readonly type: Type }>, 'type'>;

export interface DriftIssue {
  readonly path: string;
  readonly message: string;
}

interface EventSpec<Fields> {
  /** When it is emitted, for the reference. */
  readonly about: string;
  /** One line for a person, if it is worth one. */
  readonly line: (event: Fields) => string | undefined;
  /** A run of a flow passes the line on as a notice. */
  readonly notice: boolean;
}

/** Each event of a client: what it holds, when it is emitted, and how it reads. */
export const clientEvents = {
  request: event<OfCall>('A request is sent.'),
  response: event<OfCall & OfPage & { readonly status: number; readonly ms: number }>('A complete page arrived.'),
  pending: event<OfCall & { readonly delayMs: number; readonly address: string }>(
    'The service works on a job. Its response is requested again after `delayMs`, at `address`.',
  ),
  hit: event<Omit<OfCall, 'attempt'> & OfPage & { readonly storedAt: number }>(
    'A page was read from the store, without a request. `storedAt`: when its response arrived.',
  ),
  store: notice<Base & { readonly message: string }>(
    'A notice from the store: a damaged response, a folder that cannot be written, a walk that had to start again.',
    ({ operation, message }) => `${operation}: ${message}.`,
  ),
  retry: event<OfCall & { readonly delayMs: number; readonly error: TrawlerError }>(
    'An attempt failed. The next one starts after `delayMs`.',
    ({ error, delayMs }) => `${error.message}; trying again in ${seconds(delayMs)}.`,
  ),
  failure: event<OfCall & { readonly error: TrawlerError }>('A call failed and will not be retried.'),
  throttle: event<Base & { readonly status: number; readonly pauseMs: number; readonly rate: number | undefined }>(
    'The service refused because of its limit, or asked for a pause. `pauseMs`: how long the whole client pauses. `rate`: requests per ' +
      'second from now on, if known.',
    ({ pauseMs }) => (pauseMs >= shortestPauseMs ? `The service asks for a pause of ${seconds(pauseMs)}.` : undefined),
  ),
  outage: notice<Base & { readonly state: 'begun' | 'tooLong' | 'over'; readonly lastedMs: number; readonly because?: string | undefined }>(
    '`begun`: three requests in a row failed, not all of one query once a page has come. `tooLong`: for longer than `retry.outageMs`, ' +
      'so all waiting calls fail. `over`: a request got through. `because`: why the last one failed.',
    ({ state, lastedMs, because = '' }) =>
      state === 'over' && lastedMs < shortestPauseMs
        ? undefined
        : outageLines[state](seconds(lastedMs), because === '' ? '' : ` (${because})`),
  ),
  ignored: notice<Base & { readonly header: string; readonly value: string }>(
    'A header about the limit says what cannot be true, so it is ignored. Once for each header.',
    ({ header, value }) => `The service sends the header ${header}: ${value}. That can't be true, so it is ignored.`,
  ),
  drift: event<Base & { readonly issues: readonly DriftIssue[]; readonly skipped: number; readonly raw?: unknown }>(
    'A response does not match the documented shape. `skipped`: rows that were skipped. `raw`: such a row.',
    ({ operation, issues }) => driftLine(operation, issues),
  ),
  unread: event<Base & { readonly list: string; readonly items: number }>(
    'The response has rows in a list that is not read.',
    ({ operation, list, items }) => `${operation}: the response's rows (${items}) are in '${list}': --rows ${list} reads them.`,
  ),
  capped: event<OfWalk<'capped'>>('A limit ended a walk early.', ({ operation, query, pages, items, nextCursor, message }) => {
    if (message !== undefined) return `${operation}: ${JSON.stringify(query)}: ${message}.`;
    const resume = nextCursor === undefined ? '' : ` The next page is at ${textOfValue(nextCursor)}.`;
    return `${operation}: capped after ${countOf(pages, 'page')} (${countOf(items, 'row')}).${resume}`;
  }),
  short: event<OfWalk<'short'>>('A walk ended with fewer rows than the service says there are.'),
  thinPage: event<OfWalk<'thinPage'>>(
    'A page of a walk seems to lack rows.',
    ({ operation, message }) => `${operation}: rows may be missing: ${message}.`,
  ),
  fullEnd: event<OfWalk<'fullEnd'>>(
    'A walk ended on a full page, and no second request confirmed that: it was the first page, or the second request was refused.',
  ),
  unused: event<OfWalk<'unused'>>(
    'A fan-out made no query for this operation from any of its rows.',
    ({ operation, rows }) => `${operation}: no query could be made from any of the ${rows} rows.`,
  ),
  stalled: event<Base & { readonly path: readonly string[]; readonly holder: string }>(
    'A request is released although `holder`, nearer to the sink, is full, because nothing on its path has moved for a while.',
  ),
  budget: event<Base & { readonly maxRequests: number }>('The budget is used up.'),
};

/** An event of a client. Narrow by `type`. */
export type ClientEvent = {
  [Type in keyof typeof clientEvents]: { readonly type: Type } & Parameters<(typeof clientEvents)[Type]['line']>[0];
}[keyof typeof clientEvents];

const shortestPauseMs = 1000; // shorter ones are part of an ordinary limit

const outageLines = {
  begun: (_: string, why: string) =>
    `Several requests in a row failed${why}. They are retried, with ` +
    `pauses.${/ECONNREFUSED|ENOTFOUND/.test(why) ? ' Is baseUrl right?' : ''}`,
  tooLong: (lasted: string, why: string) => `No request has got through for ${lasted}${why}. What waits for one fails.`,
  over: (lasted: string) => `Requests get through again, after ${lasted}.`,
} as const;

function driftLine(operation: string, [first, ...more]: readonly DriftIssue[]): string | undefined {
  if (first === undefined) return undefined;
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return `${operation}: the response isn't as documented: ${first.path === '' ? '' : `${first.path}: `}${first.message}${others}.`;
}

function event<Fields extends object>(about: string, line: (event: Fields) => string | undefined = () => undefined): EventSpec<Fields> {
  return { about, line, notice: false };
}

function notice<Fields extends object>(about: string, line: (event: Fields) => string | undefined): EventSpec<Fields> {
  return { about, line, notice: true };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

type Line = (event: ClientEvent) => string | undefined;

/** An event as one line for a person. undefined if it isn't worth one. */
export function describeEvent(event: ClientEvent): string | undefined {
  return (clientEvents[event.type].line as Line)(event);
}

const published = channel('trawler');
const debug = process.getBuiltinModule('node:util').debuglog('trawler');
const debugs = debug.enabled;

/**
 * Sends a client's events to its listeners: `events$`, the diagnostics channel 'trawler', and, with NODE_DEBUG=trawler,
 * standard error. Check `on` before creating an event, because usually there is no listener.
 */
export class EventHub {
  readonly #events = new Subject<ClientEvent>();
  readonly stream: Observable<ClientEvent> = this.#events.asObservable();

  get on(): boolean {
    return this.#events.observed || published.hasSubscribers || debugs;
  }

  emit(event: ClientEvent): void {
    if (published.hasSubscribers) published.publish(event);
    if (debugs) debug('%s', printable(line(event)));
    this.#events.next(event);
  }

  complete(): void {
    this.#events.complete();
  }
}

function line(event: ClientEvent): string {
  const { type, operation, at: _, ...rest } = event;
  const fields = Object.entries(rest).map(([name, value]) => {
    return `${name}=${value instanceof Error ? `${value.name}: ${value.message}` : JSON.stringify(value)}`;
  });
  return [type, operation, ...fields].join(' ');
}
