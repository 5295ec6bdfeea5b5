import { hash } from 'node:crypto';
import { canonicalJson } from '../../operators/kit/canonicalJson.ts';
import type { Lazy } from '../../operators/LazyRow.ts';

/** The version of jobs and results. Leader and worker must have the same one. */
export const queueFormat = 10;

/** A job: some pages, which a worker requests. It holds no key and no row. */
export interface JobData {
  /** The leader's version of jobs and results. */
  readonly format: number;
  readonly pages: readonly PageData[];
}

/** One page of one query. */
export interface PageData {
  readonly id: string;
  readonly stage: string;
  readonly operation: string;
  /** The parameters, with the cursor of the page among them. */
  readonly query: { readonly [param: string]: unknown };
  /** The path of the rows, if it isn't the operation's own list. */
  readonly rows?: string | undefined;
  /** A missing list of rows counts as an empty one. */
  readonly missing?: 'empty' | undefined;
  /** Rows may stay bytes. */
  readonly lazy?: Lazy | undefined;
  /** The leader stores responses, so the worker also returns the unchanged response. */
  readonly keep?: true | undefined;
  /** A digest of a key that has worked. A worker with the same key then knows that a 403 is about the query, not about the key. */
  readonly key?: string | undefined;
  /** The path of a job of the service, whose response is requested instead. */
  readonly poll?: string | undefined;
}

/** The id of a page: the same for the same page of the same query, and for the same attempt. `attempt` counts from 1. */
export function pageId({ stage, operation, query }: Omit<PageData, 'id'>, attempt: number): string {
  const params = Object.keys(query)
    .sort()
    .flatMap((name) => [name, query[name]]);
  const digest = hash('sha256', canonicalJson([stage, operation, ...params]), 'base64url');
  return `${digest.slice(0, 22)}-${attempt}`;
}

/** The id of a job. It is never the id of a page. */
export function jobId(pages: readonly Pick<PageData, 'id'>[]): string {
  return `${pages[0]!.id}+${pages.length}`;
}
