const maxPages = 16;

/**
 * Divides pages into jobs, an equal share for each worker. Jobs are small, so that a few of them keep every worker busy. A retry
 * gets a job of its own, because it may end its worker again. `slots`: how many pages each worker requests at once.
 */
export function shareJobs<Page extends { readonly isRetry: boolean }>(pages: readonly Page[], slots: readonly number[]): Page[][] {
  const shared = pages.filter(({ isRetry }) => !isRetry);
  const jobs = pages.filter(({ isRetry }) => isRetry).map((page) => [page]);
  const fair = Math.ceil(shared.length / Math.max(1, slots.length));
  const size = Math.max(1, Math.min(maxPages, Math.ceil(Math.min(...slots) / 2), fair));
  for (let from = 0; from < shared.length; from += size) jobs.push(shared.slice(from, from + size));
  return jobs;
}
