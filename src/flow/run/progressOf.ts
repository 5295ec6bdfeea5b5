import { countOf } from '../../../operators/kit/countOf.ts';
import { emptyArea } from '../../../operators/split/AreaCover.ts';
import { pagingKindOf, requestPrice } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { RunHistory } from '../state/RunHistory.ts';
import type { StageProgress } from './FlowProgress.ts';
import { worstOf, type Outcome } from './outcomes.ts';
import { toleratedOf } from '../core/decidePage.ts';
import { shownCounts, type StageCounts } from '../core/stageCounters.ts';
import { isWithin } from '../definition/flowFormat.ts';
import { formatShare } from '../report/format.ts';

export function progressOf(flow: Flow, { state, last, update }: Pick<RunHistory, 'state' | 'last' | 'update'>): readonly StageProgress[] {
  const unfinished = new Set<string>();
  const refused = refusedIn(state);
  return flow.stages.map((stage) => {
    const counts = state.queries.counts.get(stage.name)!;
    const price = requestPrice(stage.service.price, stage.operation);
    const more = state.seeds.get(stage.name)?.ended === false;
    // Parents come before their children, and a child of an unfinished stage may get more to do.
    const goesOn = more || stage.parents.some((parent) => unfinished.has(parent));
    if (goesOn || counts.waiting > 0) unfinished.add(stage.name);
    const doubts = unfinished.has(stage.name) ? [] : doubtsOf(stage, counts, update, last?.[stage.name]);
    const flags: { readonly [O in Outcome]: boolean } = {
      interrupted: unfinished.has(stage.name),
      failed: counts.failed > 0,
      doubtful: doubts.length > 0,
      short: counts.short > 0,
      capped: counts.capped + counts.cappedBefore > 0,
      complete: true,
    };
    return {
      name: stage.name,
      call: stage.operation.name,
      ...(price === undefined || price === 0 ? {} : { price, unit: stage.service.price?.unit }),
      each: stage.seeds === undefined ? stage.parents : [stage.definition.each as string],
      to: [...stage.outputs, ...stage.targets.map(({ to }) => to)],
      keep: Object.keys(stage.definition.keep ?? {}),
      limits: limitsOf(stage),
      ...(pagingKindOf(stage.operation.spec.paging).operator === undefined ? { onePage: true } : {}),
      ...shownCounts(counts),
      ...(refused.has(stage.name) ? { refused: refused.get(stage.name) } : {}),
      ...(counts.empty > 0 ? { emptyQueries: state.queries.firstEmpty(stage.name) } : {}),
      doubts,
      more,
      outcome: worstOf((outcome) => flags[outcome]),
    };
  });
}

/** Statuses that say that the request itself is wrong. */
const wrongRequest: ReadonlySet<number | undefined> = new Set([400, 405, 406, 411, 413, 414, 415, 422]);

/** The number of failed queries of each stage that are wrong in themselves. */
function refusedIn({ queries }: Pick<RunHistory, 'state'>['state']): ReadonlyMap<string, number> {
  const refused = new Map<string, number>();
  for (const { query, failure } of queries.failed.values())
    if (failure.name === 'InvalidQueryError' || (failure.kind === 'final' && wrongRequest.has(failure.status)))
      refused.set(query.stage, (refused.get(query.stage) ?? 0) + 1);
  return refused;
}

function limitsOf({ operation, walk: { maxPages = Infinity }, definition: { pages, limit } }: FlowStage): readonly string[] {
  const hasPages = pagingKindOf(operation.spec.paging).operator !== undefined;
  const usual = pages === undefined ? ' (the default)' : '';
  return [
    ...(hasPages && maxPages !== Infinity ? [`pages: ${maxPages}${usual}`] : []),
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
  ];
}

export function outcomeOf(stages: readonly StageProgress[]): Outcome {
  return worstOf((outcome) => stages.some((stage) => stage.outcome === outcome));
}

/** Whether all queries of a stage ended without a row, wanted or not, and the service doesn't say so itself. */
function gaveNothing({ split, where, until }: FlowStage, { done, failed, empty, rows, unchanged, told }: StageCounts): boolean {
  if (done === 0 || failed + unchanged + told > 0) return false;
  return split === undefined && until.length === 0 ? empty === done : rows === 0 && where.length === 0;
}

function nothingFound(queries: number): string {
  const none = queries === 1 ? 'its query gave no row' : `none of its ${queries} queries gave a row`;
  return `${none}. Are the values right, such as latitude before longitude? If so, say "expect": { "rows": { ">=": 0 } }`;
}

/** Why the rows of a stage are doubtful, one sentence each. `last`: its rows in the previous run. */
function doubtsOf(stage: FlowStage, counts: StageCounts, update: boolean, last: number | undefined): readonly string[] {
  const { rows, filled = {}, rowsPerQuery, vsLast } = stage.expect ?? {};
  const doubts: string[] = [];
  if (counts.droppedAsRepeats > 0) {
    const alike = countOf(counts.droppedAsRepeats, 'row was', 'rows were');
    doubts.push(`${alike} left out as repeated: like those of a page before, and without an id`);
  }
  if (rows === undefined && gaveNothing(stage, counts)) doubts.push(stage.split?.kind === 'area' ? emptyArea : nothingFound(counts.done));
  if (rows !== undefined && !isWithin(counts.rows, rows)) doubts.push(`${counts.rows} rows, and ${inWords(rows)} are expected`);
  for (const [field, share] of Object.entries(filled)) {
    const found = counts.rows === 0 ? 0 : (counts.filled.get(field) ?? 0) / counts.rows;
    if (found < share)
      doubts.push(`${field} is filled in ${formatShare(found, share)} of the rows, and at least ${formatShare(share)} is expected`);
  }
  // With since, an update walks only what is new. What failed or was capped says itself that rows are missing.
  const isWhole = (!update || stage.since === undefined) && counts.failed + counts.capped === 0;
  if (isWhole && counts.divided - counts.inPieces > toleratedOf(stage, counts.divided))
    doubts.push(
      `the queries that were divided have ${counts.divided} rows, says the service, and their pieces ${counts.inPieces}: rows on an ` +
        `upper bound, between two steps or without a value may be missing`,
    );
  if (rowsPerQuery !== undefined && counts.unexpected > 0 && !update) {
    const queries = countOf(counts.unexpected, 'query has', 'queries have');
    doubts.push(`${queries} another number of rows than ${inWords(rowsPerQuery)}`);
  }
  if (vsLast !== undefined && last !== undefined && counts.rows < last * vsLast)
    doubts.push(`${counts.rows} rows, and the run before had ${last}: at least ${formatShare(vsLast)} of that is expected`);
  return doubts;
}

function inWords(bounds: { readonly '>='?: number | undefined; readonly '<='?: number | undefined }): string {
  const [min, max] = [bounds['>='], bounds['<=']];
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}
