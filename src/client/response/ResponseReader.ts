import { getOrInsert } from '../../../operators/kit/once.ts';
import type { RowOrigin } from '../../../operators/rowOrigin.ts';
import type { PlainRow } from '../../../operators/walk/rowsAt.ts';
import { DriftError } from '../../errors/index.ts';
import {
  DriftWatch,
  columnsOf,
  listsOf,
  responseIssues,
  rowsIn,
  unreadList,
  unusableRows,
  type ResponseIssue,
  type DriftCount,
  type Operation,
  type RowsAt,
  responseOf,
} from '../../contract/index.ts';
import type { ClientEvent, EventHub } from '../events/clientEvents.ts';
import type { OperationPlan } from '../OperationPlan.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { ResponsePage } from './ResponsePage.ts';
import type { Payload } from './parseResponse.ts';

const none: readonly ResponseIssue[] = [];
const noRows: readonly number[] = [];
const enoughRows = 20; // with fewer, a share means nothing

/** Turns responses into pages and compares them with the documentation. */
export class ResponseReader {
  readonly #settings: Settings;
  readonly #events: EventHub;
  readonly #reportedUnread = new Set<string>();
  readonly #watch = new DriftWatch();

  constructor(settings: Settings, events: EventHub) {
    this.#settings = settings;
    this.#events = events;
  }

  /** The page, or the error of a response that differs too much. */
  read(plan: OperationPlan, query: object, list: string | undefined, envelope: Payload, attempts: number): ResponsePage | DriftError {
    const { operation } = plan;
    const shape = plan.response ?? responseOf(operation, query);
    const path = list ?? shape.rows;
    const origin = plan.origins.get(path) ?? this.#origin(plan, path);
    const { spans, verdict } = envelope;
    // a rule says that there are none
    if (verdict !== undefined) return new ResponsePage(origin, query, envelope, { items: [], list: 'present' });
    const found = spans === undefined ? rowsIn(operation, envelope.data, path) : ({ list: 'present', items: spans.rows } as const);
    const isOwn = list === undefined && path !== null && operation.spec.listUndocumented !== true;
    // A page without its own list has an empty one: see `whyNotAPage`.
    const isEmpty = found.list === 'absent' && isOwn;
    const rows: RowsAt = isEmpty ? { list: 'present', items: [] } : found;
    if (this.#settings.validate === 'off') return new ResponsePage(origin, query, envelope, rows);
    const strict = this.#settings.validate === 'strict';
    // Rows that were cut out are objects.
    const badRows = spans === undefined ? unusableRows(shape.response, path, rows) : noRows;
    const looks = this.#watch.looksAt(operation, strict || badRows.length > 0 || found.list === 'absent');
    const differing = looks ? this.#issues(plan, query, list, envelope) : none;
    const fresh = looks ? this.#watch.note(operation, differing) : none;
    const issues = strict ? differing : fresh;
    if (looks && this.#events.on && spans === undefined) this.#tellUnread(operation, query, envelope.data, path);
    plan.rows.seen += rows.items.length;
    plan.rows.bad += badRows.length;
    if (issues.length === 0 && badRows.length === 0) return new ResponsePage(origin, query, envelope, rows);
    if (this.#events.on) this.#tellDrift(operation, query, issues, badRows, rows.items);
    const details = { operation: operation.name, query, requestId: envelope.requestId, attempts };
    if (strict) {
      const [first] = issues;
      const what = first === undefined ? `${badRows.length} rows have no shape at all` : `${first.path}: ${first.message}`;
      return new DriftError(
        `${operation.name}: the response is not shaped as documented: ${what}; validate: 'report' reports such responses and continues`,
        details,
      );
    }
    const share = plan.rows.seen < enoughRows ? 0 : plan.rows.bad / plan.rows.seen;
    if (share > this.#settings.maxDriftShare) {
      return new DriftError(
        `${operation.name}: ${Math.round(share * 100)} % of its rows so far have no usable shape, more than maxDriftShare allows; ` +
          `look at the drift events, then raise it or wait for the service`,
        details,
      );
    }
    if (badRows.length === 0) return new ResponsePage(origin, query, envelope, rows);
    const bad = new Set(badRows);
    const items = rows.items.filter((_, index) => !bad.has(index));
    return new ResponsePage(origin, query, envelope, { ...rows, items }, rows.items.length);
  }

  /** Differences from the documentation so far: each issue once. */
  drift(): readonly DriftCount[] {
    return this.#watch.counts();
  }

  /** Where a response differs: its data, its rows, and what should be beside them. */
  #issues(
    { operation, envelope: declared }: OperationPlan,
    query: object,
    list: string | undefined,
    envelope: Payload,
  ): readonly ResponseIssue[] {
    const { requestId, timestamp } = declared;
    const beside = [envelope.requestId === '' ? requestId : undefined, envelope.timestamp === 0 ? timestamp : undefined];
    return [
      ...responseIssues(operation, envelope.data, query, list),
      ...(envelope.spans?.issues ?? none),
      ...beside.flatMap((path) => (path === undefined ? [] : [{ path, message: 'expected beside the data, got nothing' }])),
      ...(envelope.garbled === true ? [{ path: '', message: 'some bytes are not UTF-8, and became U+FFFD' }] : []),
    ];
  }

  #origin(plan: OperationPlan, path: string | null): RowOrigin {
    const { operation, origins } = plan;
    return getOrInsert(origins, path, () => ({
      operation: operation.name,
      columns: columnsOf(operation, path),
      ofList: (other: string) => this.#origin(plan, other),
      get lists() {
        return listsOf(operation).map((list) => list.path);
      },
    }));
  }

  #tellDrift(
    operation: Operation,
    query: object,
    issues: Extract<ClientEvent, { type: 'drift' }>['issues'],
    badRows: readonly number[],
    items: readonly unknown[],
  ): void {
    const drift = { type: 'drift', operation: operation.name, query, at: this.#settings.clock.wall(), skipped: badRows.length } as const;
    if (badRows.length === 0) this.#events.emit({ ...drift, issues });
    for (const [nth, row] of badRows.entries()) {
      this.#events.emit({ ...drift, issues: nth === 0 ? issues : [], skipped: 1, raw: (items[row] as PlainRow).value });
    }
  }

  #tellUnread(operation: Operation, query: object, data: unknown, path: string | null): void {
    const unread = unreadList(operation, data, path);
    if (unread === undefined) return;
    const key = `${operation.name} ${unread.list}`;
    if (this.#reportedUnread.has(key)) return;
    this.#reportedUnread.add(key);
    this.#events.emit({ type: 'unread', operation: operation.name, query, at: this.#settings.clock.wall(), ...unread });
  }
}
