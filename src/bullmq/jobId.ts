import { createHash } from 'node:crypto';
import type { JobData } from './JobData.ts';

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
