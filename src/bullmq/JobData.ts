import { canonicalJson } from '../../operators/kit/canonicalJson.ts';
import { hash } from 'node:crypto';
import type { Lazy } from '../../operators/LazyRow.ts';

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
  /** The cursor of the page is one of its parameters. */
  readonly query: { readonly [param: string]: unknown };
  /** A list other than the operation's own. */
  readonly rows?: string | undefined;
  /** A list that is missing is an empty one. */
  readonly missing?: 'empty' | undefined;
  /** Its rows may stay unparsed. */
  readonly lazy?: Lazy | undefined;
  /** The leader stores responses, so it also wants them unchanged. */
  readonly keep?: true | undefined;
  /** A digest of the key that has worked, as far as the leader knows. A worker that has it takes a 403 as that of the query. */
  readonly key?: string | undefined;
  /** The path of a job that the service works on, whose response it is. */
  readonly poll?: string | undefined;
}

/** The same id for the same page of the same query. `attempt` counts from 1. */
export function pageId({ stage, operation, query }: Omit<PageData, 'id'>, attempt: number): string {
  const params = Object.keys(query)
    .sort()
    .flatMap((name) => [name, query[name]]);
  const digest = hash('sha256', canonicalJson([stage, operation, ...params]), 'base64url');
  return `${digest.slice(0, 22)}-${attempt}`;
}

/** The id of a job: no page has the same. */
export function jobId(pages: readonly Pick<PageData, 'id'>[]): string {
  return `${pages[0]!.id}+${pages.length}`;
}
