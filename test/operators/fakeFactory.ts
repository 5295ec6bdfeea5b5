import { defer, of, type Observable } from 'rxjs';
import type { CursorPaging, OffsetPaging, PageFactory, PageLike, Paging, WalkEvent, WalkState, WalkStep } from '../../operators/index.ts';
import { moveWalk, startWalk, stepWalk } from '../../operators/index.ts';

export interface FakePage extends PageLike {
  readonly data: { readonly [field: string]: unknown };
  readonly query: FakeQuery;
  readonly items: readonly FakeRow[];
}
export interface FakeQuery {
  readonly [param: string]: string | number | boolean | undefined;
}
export interface FakeRow {
  readonly [field: string]: unknown;
}
type TypeOf = { readonly rows: readonly unknown[] | undefined; readonly data?: object };

export const cursorPaging: CursorPaging = { kind: 'cursor', param: 'cursor', at: ['next'] };
export const offsetPaging: OffsetPaging = { kind: 'offset', param: 'page', step: 1 };

export function page(query: object, { rows, data }: TypeOf): FakePage {
  return {
    operation: 'fake',
    query: query as FakeQuery,
    data: { ...(rows === undefined ? {} : { rows }), ...data },
    items: (rows ?? []) as FakePage['items'],
    list: rows === undefined ? 'absent' : 'present',
  };
}

export interface FakeFactory<Paging> extends PageFactory<FakeQuery, FakePage, Paging> {
  /** The queries that were asked for, by subscription. */
  readonly asked: FakeQuery[];
  readonly told: WalkEvent[];
  readonly open: { now: number; most: number };
}

/** A page factory that responds from a function; an Observable in place of a response is subscribed to as it is. */
export function fakeFactory<Paging>(paging: Paging, response: (query: FakeQuery) => TypeOf | Observable<FakePage>): FakeFactory<Paging> {
  const asked: FakeQuery[] = [];
  const told: WalkEvent[] = [];
  const open = { now: 0, most: 0 };
  const call = (query: FakeQuery): Observable<FakePage> =>
    defer(() => {
      asked.push(query);
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      const given = response(query);
      return 'rows' in given ? of(page(query, given)) : given;
    });
  const described = { paging, asked, told, open, notify: (event: WalkEvent): void => void told.push(event) };
  return Object.defineProperty(Object.assign(call, described), 'name', { value: 'fake' });
}

/** A cursor factory of so many pages for each query, each with one row. */
export function pagesOf(count: number): FakeFactory<CursorPaging> {
  return fakeFactory(cursorPaging, ({ q, cursor }) => {
    const number = Number(cursor ?? 1);
    return { rows: [{ q, number }], data: number < count ? { next: String(number + 1) } : {} };
  });
}

/** A step of a walk, and the state after it. */
export type Stepped = WalkStep & { readonly state?: WalkState };

/** Takes a step by hand, and moves. */
export function walkStep(
  operation: Parameters<typeof stepWalk>[0],
  state: WalkState,
  page: PageLike,
  options: Parameters<typeof startWalk>[2] = {},
): Stepped {
  const step = stepWalk(operation, state, page, options);
  return step.kind === 'next' ? { ...step, state: moveWalk(operation, state, step.move, options) } : step;
}

/** Walks by hand over given responses, as the flow does; gives what each step was. */
export function walkOver(
  paging: Paging,
  responses: readonly TypeOf[],
  options: Parameters<typeof startWalk>[2] = {},
  more: object = {},
): Stepped[] {
  const factory = { name: 'fake', paging, ...more };
  const steps: Stepped[] = [];
  let state: WalkState = startWalk(factory, {}, options);
  for (const response of responses) {
    const step = walkStep(factory, state, page(state.query, response), options);
    steps.push(step);
    if (step.state === undefined) break;
    state = step.state;
  }
  return steps;
}
