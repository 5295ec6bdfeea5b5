interface Counter {
  /** `page`: a page's step in the journal says how many it adds. Otherwise it follows from what queries do. */
  readonly of: 'page' | 'query';
  /** Whether progress, summary and data package show it: always, only if there are any, or not at all. */
  readonly shown: 'always' | 'some' | 'never';
  /** Its column in the report. */
  readonly column?: string;
  /** What is told of it after a run, for each stage that has some: of one, and of more. */
  readonly note?: readonly [one: string, more: string];
}

/**
 * What is counted in each stage, in the order in which it is shown. To add a counter, add a line here and count it where it
 * happens: `decidePage` for a page.
 */
export const stageCounters = {
  /** Queries that succeeded. */
  done: { of: 'query', shown: 'always', column: 'queries done' },
  /** Queries found but not ended. Of a seed file, only those read so far. */
  waiting: { of: 'query', shown: 'always', column: 'waiting' },
  failed: { of: 'query', shown: 'always', column: 'failed' },
  /** Queries that a limit of the flow has capped. */
  capped: { of: 'query', shown: 'always' },
  /** Queries that were capped in an earlier run, and of which an update requested only what is new, or nothing. */
  cappedBefore: {
    of: 'query',
    shown: 'some',
    note: [
      'query was capped in an earlier run, and the update requested only what is new',
      'queries were capped in earlier runs, and the update requested only what is new',
    ],
  },
  /** Queries that found nothing in an earlier run, and that an update skipped. */
  emptyBefore: {
    of: 'query',
    shown: 'some',
    note: ['query found nothing in an earlier run, and was skipped', 'queries found nothing in earlier runs, and were skipped'],
  },
  /** Queries that ended at the row that they looked for. */
  found: { of: 'query', shown: 'some' },
  /** Queries that an update skipped, because `unless` says that nothing has changed. */
  unchanged: { of: 'query', shown: 'some' },
  /** Rows of its seed file that make no query. */
  unused: {
    of: 'query',
    shown: 'some',
    note: [
      'seed made no query: it is blank, or lacks a value that the query needs',
      'seeds made no query: they are blank, or lack a value that the query needs',
    ],
  },
  /** Queries with fewer rows than the service claims. */
  short: { of: 'query', shown: 'always', column: 'short' },
  /** Queries that miss so few rows that the claim may be wrong. */
  withinTolerance: { of: 'query', shown: 'always' },
  /** Rows of the ended queries that have a claim. */
  got: { of: 'query', shown: 'always' },
  /** The claimed number of these rows. 0 if no query has a claim. */
  claimed: { of: 'query', shown: 'always' },
  /** Rows that the service claims for queries that were divided into pieces of a range. */
  divided: { of: 'query', shown: 'never' },
  /** The rows of these pieces: as the service claims, else as they came. */
  inPieces: { of: 'query', shown: 'never' },
  /** Queries that ended with an unexpected number of rows. */
  unexpected: { of: 'query', shown: 'never' },
  pages: { of: 'query', shown: 'always', column: 'pages' },
  /** Rows written. */
  rows: { of: 'query', shown: 'always', column: 'rows' },
  /** Rows skipped because of their shape. */
  skipped: {
    of: 'page',
    shown: 'some',
    note: ['row was skipped: no usable shape', 'rows were skipped: no usable shape'],
  },
  /** Queries that ended without a row, or without the one that they looked for. Not counted in a stage that splits queries. */
  empty: { of: 'query', shown: 'some' },
  /** Pages that have no rows, as the service says itself. */
  told: { of: 'page', shown: 'never' },
  /** Pages that seem to lack rows, although no figure tells how many. */
  thinPages: { of: 'page', shown: 'some', note: ['page seems to lack rows', 'pages seem to lack rows'] },
  /**
   * Walks that ended on a full page, and no second request confirmed that nothing follows: it was the first, or the request was refused.
   */
  fullEnds: {
    of: 'page',
    shown: 'some',
    note: [
      'walk may lack rows: its last page is full, and nothing says whether more follow',
      'walks may lack rows: their last page is full, and nothing says whether more follow',
    ],
  },
  /** Rows without an id that were left out as those of a page before, though they may be others. */
  droppedAsRepeats: { of: 'page', shown: 'some' },
  /** Rows left out because they lie outside the area, counted each time they came. */
  outside: { of: 'page', shown: 'some' },
} as const satisfies { readonly [name: string]: Counter };

type Counters = typeof stageCounters;
export type CounterName = keyof Counters;
type Having<Part> = { [N in CounterName]: Counters[N] extends Part ? N : never }[CounterName];

/** What the pages add, in the journal. Absent where it is 0. */
export type PageCounts = { readonly [N in Having<{ of: 'page' }>]?: number | undefined };

/** What progress and summary show of a stage. Optional ones are absent if they are 0. */
export type ShownCounts = { readonly [N in Having<{ shown: 'always' }>]: number } & {
  readonly [N in Having<{ shown: 'some' }>]?: number | undefined;
};

/** What has happened in a stage so far. */
export type StageCounts = { [N in CounterName]: number } & {
  /** The number of rows in which a field is filled, for expected fields. */
  readonly filled: Map<string, number>;
};

/** All counters, in order. */
export const counterList: readonly (Counter & { readonly name: CounterName })[] = (
  Object.keys(stageCounters) as readonly CounterName[]
).map((name) => ({ name, ...stageCounters[name] }));

const zeros = Object.fromEntries(counterList.map(({ name }) => [name, 0])) as { readonly [N in CounterName]: number };

export function startCounts(): StageCounts {
  return { ...zeros, filled: new Map() };
}

/** What something adds to the counters of a stage. */
export type AddedCounts = { readonly [N in CounterName]?: number | undefined };

/** Adds to the counters; `times` -1 takes it back. `filled`: the rows in which a field is filled. */
export function addCounts(
  counts: StageCounts,
  more: AddedCounts,
  filled: { readonly [field: string]: number } = {},
  times: 1 | -1 = 1,
): void {
  for (const name in more) counts[name as CounterName] += times * (more[name as CounterName] ?? 0);
  for (const field in filled) counts.filled.set(field, (counts.filled.get(field) ?? 0) + times * filled[field]!);
}

export function shownCounts(counts: { readonly [N in CounterName]?: number | undefined }): ShownCounts {
  const all: { [N in CounterName]?: number } = {};
  for (const { name, shown } of counterList) {
    const count = counts[name] ?? 0;
    if (shown === 'always' || (shown === 'some' && count > 0)) all[name] = count;
  }
  return all as ShownCounts;
}
