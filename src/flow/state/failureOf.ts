import { failureKinds } from '../../errors/TrawlerError.ts';
import { TrawlerError } from '../../errors/index.ts';
import type { QueryFailure } from '../core/events.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { pagingKindOf } from '../../contract/index.ts';
import { type Flow, stageOf } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import type { QueriesView } from '../core/Queries.ts';
import type { FailedQuery, Lineage, NamedQuery } from '../core/Query.ts';

const maxLength = 1000;

/** An error in the form that is recorded. */
export function failureOf(error: unknown, at: number = Date.now()): QueryFailure {
  if (!(error instanceof Error)) return { at, name: 'Error', message: String(error).slice(0, maxLength) };
  const base = { at, name: error.name, message: error.message.slice(0, maxLength) };
  if (!(error instanceof TrawlerError)) return base;
  const { kind, status, code, requestId, attempts } = error;
  return { ...base, kind, status, code, requestId, attempts };
}

/** Whether a failure may be gone later. */
export function passes(error: unknown): boolean {
  return error instanceof TrawlerError && error.kind !== undefined && failureKinds[error.kind].passes;
}

/** Whether a request was sent before the error came. A client may refuse a call that waits. */
export function wasSent(error: unknown): boolean {
  return !(error instanceof TrawlerError) || error.attempts !== 0;
}

/** The lines of `failures.jsonl`. */
export function* failureLines(flow: Flow, queries: QueriesView): Generator<string, void, undefined> {
  for (const failed of queries.failed.values()) yield `${JSON.stringify(failureLine(failed, flow))}\n`;
  for (const { query, got, claimed, because } of queries.short.values())
    yield `${JSON.stringify({ ...foundAt(query, flow), short: { got, claimed, because } })}\n`;
  for (const query of queries.capped.values()) yield `${JSON.stringify({ ...foundAt(query, flow), capped: { got: query.rows } })}\n`;
}

/** The lines of `empty.jsonl`. */
export function* emptyLines(flow: Flow, { empty }: QueriesView): Generator<string, void, undefined> {
  for (const query of empty.values()) yield `${JSON.stringify({ ...foundAt(query, flow), rows: query.rows })}\n`;
}

/** A failed query: how to repeat it, and where it came from. */
function failureLine({ query, failure, got }: FailedQuery, flow: Flow): object {
  const { at, ...error } = failure;
  const { claimed } = query.walk;
  const { paging } = stageOf(flow, query).operation.spec;
  const cursor = ownValue(query.walk.query, pagingKindOf(paging).param({}));
  const { lineage, ...found } = foundAt(query, flow);
  return {
    ...found,
    ...(cursor === undefined ? {} : { cursor }),
    pages: query.walk.pages,
    ...(claimed === undefined ? {} : { got, claimed }),
    lineage,
    error,
    at: new Date(at).toISOString(),
  };
}

/** A query, with the columns that it keeps and the queries that led to it. */
function foundAt(
  { stage, params, kept, parent }: Omit<NamedQuery, 'rows'>,
  flow: Flow,
): { readonly stage: string; readonly operation: string; readonly query: QueryParams; readonly lineage: readonly object[] } {
  const lineage: object[] = [];
  for (let one: Lineage | undefined = parent; one !== undefined; one = one.parent) lineage.unshift({ stage: one.stage, query: one.params });
  return {
    stage,
    operation: flow.byName.get(stage)!.operation.name,
    query: params,
    ...(kept === undefined ? {} : { keep: kept }),
    lineage,
  };
}
