import { batchOf, pagingKindOf, type FanOutSource } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { listed } from '../definition/flowFormat.ts';
import { listOfStage } from '../definition/columnsOfStage.ts';
import { type FlowPlan, type PlanStage } from './FlowPlan.ts';
import { countOf } from '../report/format.ts';

/** Tokens can lead through two empty pages to one with a row, so that many requests may be needed for it. */
const requestsForARow = 3;

/** The fewest and the most requests of each stage, as far as known before the first response. */
export function boundStages(flow: Flow, roots: ReadonlyMap<string, number | undefined>): FlowPlan['stages'] {
  const plans = new Map<string, PlanStage>();
  for (const stage of flow.stages) plans.set(stage.name, boundStage(stage, roots, plans));
  return [...plans.values()];
}

function boundStage(stage: FlowStage, roots: ReadonlyMap<string, number | undefined>, plans: ReadonlyMap<string, PlanStage>): PlanStage {
  const why: string[] = [];
  const whole = stage.depth === 0 ? rootQueries(stage, roots.get(stage.name), why) : childQueries(stage, plans, why);
  const pieces = stage.split?.kind === 'range' ? stage.split.bounded?.({}, undefined).length : undefined;
  const atLeast = stage.when.length > 0 ? 0 : whole.atLeast * (pieces ?? 1);
  const queries = { atLeast, atMost: stage.split === undefined || whole.atMost === 0 ? whole.atMost : Infinity };
  if (pieces !== undefined) why.push(`split: ${countOf(pieces, 'piece')} of each query, as long as the service takes them`);
  if (stage.split !== undefined) why.push(`${stage.split.kind === 'area' ? 'cover' : 'split'}: a full query is split into narrower ones`);
  if (stage.when.length > 0) why.push('when: rows that it refuses lead to no query');
  const all = [stage, ...stage.others]; // a query may go to any of its services
  const perQuery = Math.max(...all.map((one) => requestsOfQuery(one, one === stage ? why : [])));
  const perPage = Math.max(...all.map(rowsOfPage));
  const sizes = all.map((one) => batchSize(one, one === stage ? why : []));
  if (all.length > 1) why.push('of its services, the one that needs most requests counts');
  const requests = {
    atLeast: Math.ceil(queries.atLeast / Math.max(...sizes)),
    atMost: product(Math.ceil(queries.atMost / Math.min(...sizes)), perQuery),
  };
  const rowsOfQuery = Math.min(product(perQuery, perPage), stage.limit);
  const single = all.every((one) => listOfStage(one) === null);
  if (!single && perPage !== Infinity) why.push(`at most ${countOf(perPage, 'row')} a page`);
  if (stage.limit !== Infinity) why.push(`limit: at most ${countOf(stage.limit, 'row')} of one query`);
  if (stage.until.length > 0) why.push('until: a query ends at the row that it looks for');
  if (stage.where.length > 0) why.push('where: rows that it refuses are left out');
  if (stage.by.length > 0) why.push('rows that come again are left out');
  return {
    name: stage.name,
    call: stage.operation.name,
    each: stage.seeds === undefined ? stage.parents : [stage.definition.each as string],
    depth: stage.depth,
    to: [...stage.outputs, ...stage.targets.map(({ to }) => to)],
    queries,
    requests,
    // A response that is one row has exactly one. A list may be empty.
    rows: {
      atLeast: single && stage.where.length + stage.by.length === 0 ? queries.atLeast : 0,
      atMost: product(queries.atMost, rowsOfQuery),
    },
    why,
  };
}

function rootQueries(stage: FlowStage, known: number | undefined, why: string[]): PlanStage['queries'] {
  if (known === undefined) {
    why.push('standard input: how many queries it brings is not known before it is read');
    return { atLeast: 0, atMost: Infinity };
  }
  why.push(
    stage.seeds === undefined
      ? `${countOf(known, 'query', 'queries')} from its constants`
      : `${countOf(known, 'different query', 'different queries')} from its seeds`,
  );
  return { atLeast: known, atMost: known };
}

function childQueries(stage: FlowStage, plans: ReadonlyMap<string, PlanStage>, why: string[]): PlanStage['queries'] {
  let perRow = 1;
  for (const [param, from] of Object.entries(stage.fanOut?.with ?? {})) {
    if (!listed<FanOutSource>(from).some(hasSeveral)) continue;
    why.push(`${param} runs over a list in each row, of any length`);
    perRow = Infinity;
  }
  for (const [param, values] of stage.with) {
    const lists = values.some((value) => value.kind === 'field' && value.keys.includes('[]'));
    if (lists) why.push(`${param} runs over a list in each row, of any length`);
    perRow *= lists ? Infinity : values.reduce((sum, value) => sum + (value.kind === 'each' ? value.most : 1), 0);
  }
  if (perRow > 1 && perRow !== Infinity) why.push(`${countOf(perRow, 'query', 'queries')} for each row`);
  const parents = stage.parents.map((parent) => plans.get(parent)!);
  const list = stage.fanOut?.rows;
  if (typeof list === 'string') perRow = Infinity;
  const pages = list !== undefined;
  const atMost = parents.reduce((sum, parent) => sum + product((pages ? parent.requests : parent.rows).atMost, perRow), 0);
  const each = list === undefined ? 'row' : list === null ? 'page' : `of the ${list} in each page`;
  why.push(`a query for each ${each} of ${stage.parents.join(' and ')}, which may have none; the same query is sent once`);
  return { atLeast: 0, atMost };
}

/** Whether a source can have several values in one row. */
function hasSeveral(source: FanOutSource): boolean {
  return typeof source === 'string' ? source.includes('[]') : source.split !== undefined || source.of.includes('[]');
}

/** How many queries share a request. Queries share one only if nothing but their ids differs. */
function batchSize({ operation, with: values }: FlowStage, why: string[]): number {
  const batch = batchOf(operation);
  if (batch === undefined) return 1;
  const differ = values.some(([param, [value, more]]) => param !== batch.name && (more !== undefined || value?.kind !== 'constant'));
  why.push(`${batch.name}: up to ${batch.size} ids in one request${differ ? ', of queries that differ in nothing else' : ''}`);
  return differ ? 1 : batch.size;
}

/** The most requests of one query. The fewest is always one. */
function requestsOfQuery(stage: FlowStage, why: string[]): number {
  const { operator, endsEmpty } = pagingKindOf(stage.operation.spec.paging);
  if (operator === undefined) {
    why.push('one page: the operation has no more');
    return 1;
  }
  const pages = stage.walk.maxPages ?? Infinity;
  // A counted walk ends with the first empty page, so each page before has a row.
  const byLimit = endsEmpty ? stage.limit : stage.limit * requestsForARow;
  if (pages === Infinity && byLimit === Infinity) why.push('all pages, so how many is known only when they end');
  else if (pages <= byLimit) why.push(pages === 1 ? 'one page of each query' : `pages: at most ${pages} of each query`);
  else why.push(`all pages, but none is requested after ${countOf(stage.limit, 'row')} came`);
  return Math.min(pages, byLimit);
}

/** A product in which 0 times Infinity is 0. */
function product(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other;
}

/** The most rows of one page, if documented. Otherwise Infinity. */
function rowsOfPage(stage: FlowStage): number {
  const { spec, params } = stage.operation;
  const list = listOfStage(stage);
  if (list === null) return 1;
  if (list !== spec.rows) return Infinity;
  const size = pagingKindOf(spec.paging).pageSize;
  if (size !== undefined) return size;
  const { results } = params;
  if (results === undefined) return Infinity;
  const values = stage.with.find(([param]) => param === 'results')?.[1];
  if (values === undefined) return typeof results.default === 'number' ? results.default : Infinity;
  return Math.max(...values.map((value) => (value.kind === 'constant' ? Number(value.value) : (results.max ?? Infinity))));
}
