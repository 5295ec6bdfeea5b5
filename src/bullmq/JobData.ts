import { createHash } from 'node:crypto';

/** A job: one page of one query. It holds no key and no row. */
export interface JobData {
  /** The leader's version of jobs and results. */
  readonly format: number;
  readonly stage: string;
  readonly operation: string;
  /** The leader stores responses, so it also wants them unchanged. */
  readonly keep?: true | undefined;
  /** The cursor of the page is one of its parameters. */
  readonly query: { readonly [param: string]: unknown };
}

/** The same id for the same page of the same query. `attempt` counts from 1. */
export function jobId({ stage, operation, query }: Omit<JobData, 'format'>, attempt: number): string {
  const params = Object.keys(query)
    .sort()
    .map((name) => [name, query[name]]);
  const digest = createHash('sha256')
    .update(JSON.stringify([stage, operation, params]))
    .digest('base64url')
    .slice(0, 22);
  return `${digest}-${attempt}`;
}
