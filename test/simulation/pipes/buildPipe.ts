import {
  asapScheduler,
  bufferCount,
  concatMap,
  delay,
  filter,
  from,
  groupBy,
  map,
  merge,
  mergeMap,
  NEVER,
  observeOn,
  of,
  race,
  retry,
  share,
  switchMap,
  take,
  tap,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import {
  backoff,
  byValues,
  distinctBy,
  expandCursor,
  fanOut,
  items,
  limitConcurrency,
  limitRate,
  mergeBounded,
  named,
  offsetPages,
  shareHeld,
  splitWhenFull,
  type PageFactory,
  type PageLike,
} from '../../../operators/index.ts';
import { operationName, splitBy } from '../worldService.ts';
import type { WorldRow } from '../WorldTruth.ts';
import { isAsker, type Asker, type PipeStep, type PipeWorld } from './PipeWorld.ts';
import { ownKeys, passes } from './reference.ts';

type Query = { readonly key: string };
type Walk = (queries: Observable<Query>) => Observable<WorldRow>;
type Rows = MonoTypeOperatorFunction<WorldRow>;

interface PipeTools {
  readonly client: object;
  /** Called with each row that a step brings. */
  readonly brought: (operation: number) => void;
  /** Called with each query that a fan-out skips. */
  readonly skipped: (cause: unknown) => void;
}

/** The pipe of a world. */
export function buildPipe(world: PipeWorld, tools: PipeTools): Observable<WorldRow> {
  const [first, ...others] = world.steps as readonly [Asker, ...PipeStep[]];
  let rows = from(ownKeys(world).map((key) => ({ key }))).pipe(walkOf(world, first, tools), heard(tools.brought, first.operation));
  for (const step of others)
    rows = isAsker(step)
      ? rows.pipe(askerOf(world, step, tools), heard(tools.brought, step.operation))
      : rows.pipe(step.kind === 'take' ? take(step.count) : passerOf[step.kind]());
  return rows;
}

const heard = (hear: (operation: number) => void, operation: number): Rows => tap(() => hear(operation));

/** A walk of all queries, and the rows of its pages. */
function walkOf({ operations }: PipeWorld, { kind, operation, concurrency, maxPages, lookahead }: Asker, { client }: PipeTools): Walk {
  const { paging, cap = 5 } = operations[operation]!;
  const factory = (client as { readonly [name: string]: PageFactory<Query, PageLike> })[operationName(operation)]!;
  const counted = ['page', 'pages', 'received'].includes(paging);
  const pages = (queries: Observable<Query>): Observable<PageLike> => {
    if (kind === 'split')
      return queries.pipe(
        splitWhenFull(factory, { split: byValues(splitBy.by, splitBy.values), full: cap, by: 'id' as never, concurrency }),
      );
    return counted
      ? queries.pipe(offsetPages(factory as never, { maxPages, lookahead, concurrency }))
      : queries.pipe(expandCursor(factory as never, { maxPages, concurrency }));
  };
  return (queries) => queries.pipe(pages, items()) as unknown as Observable<WorldRow>;
}

function underOf({ under, concurrency }: Asker): Rows {
  switch (under) {
    case 'concurrency':
      return limitConcurrency(concurrency);
    case 'rate':
      return limitRate({ requests: 3, perMs: 100 });
    case 'backoff':
      return backoff({ maxAttempts: 1 });
    case 'retry':
      return retry({ count: 0 });
    default:
      return (rows) => rows;
  }
}

/** A step that requests something for each row. */
function askerOf(world: PipeWorld, step: Asker, tools: PipeTools): Rows {
  const { kind, from: field, concurrency, once, skip } = step;
  const queryOf = (row: WorldRow): Query => ({ key: row[field] });
  const walk = walkOf(world, step, tools);
  const under = underOf(step);
  const ask = (row: WorldRow): Observable<WorldRow> => of(queryOf(row)).pipe(walk, under);
  switch (kind) {
    case 'fanOut': {
      const failures = { next: ({ cause }: { readonly cause: unknown }) => tools.skipped(cause) };
      return fanOut(ask, { concurrency, ...(once ? { by: field } : {}), ...(skip ? { onError: 'skip', failures } : {}) });
    }
    case 'mergeBounded':
      return mergeBounded(ask, { concurrency });
    case 'mergeMap':
      return mergeMap(ask, concurrency);
    case 'concatMap':
      return concatMap(ask);
    case 'switchMap':
      return switchMap(ask);
    default:
      return (rows) => rows.pipe(map(queryOf), walk);
  }
}

const passerOf: { readonly [kind in Exclude<PipeStep['kind'], Asker['kind'] | 'take'>]: () => Rows } = {
  named: () => named('part'),
  distinctBy: () => distinctBy('id'),
  shareHeld: () => shareHeld(),
  share: () => share(),
  bufferCount: () => (rows) =>
    rows.pipe(
      bufferCount(3),
      concatMap((some) => some),
    ),
  delay: () => delay(7),
  filter: () => filter(passes),
  observeOn: () => observeOn(asapScheduler),
  merge: () => (rows) => merge(rows, rows),
  groupBy: () => (rows) =>
    rows.pipe(
      groupBy(({ part }) => part),
      mergeMap((group) => group),
    ),
  race: () => (rows) => race(rows, NEVER),
};
