// Jobs that were posted in the last week, to a CSV file.
import { filter, lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { distinctBy, expandCursor, items } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const unitDays = { hour: 1 / 24, day: 1, week: 7, month: 30, year: 365 };
/** The service says '3 days ago', and not for every job. */
function daysOld({ extensions }) {
  const [, count, unit] = /^(an?|\d+) (hour|day|week|month|year)s? ago$/.exec(extensions[0] ?? '') ?? [];
  return unit === undefined ? undefined : (Number(count) || 1) * unitDays[unit];
}

const jobs$ = of({ query: 'data engineer' }).pipe(expandCursor(client.jobSearch), items());
const fresh$ = jobs$.pipe(
  filter((job) => (daysOld(job) ?? Infinity) < 7),
  distinctBy('job_id'), // a job may move to a later page while we read
);
const { rows } = await lastValueFrom(fresh$.pipe(toCsv('jobs.csv', { columns: ['title', 'company_name', 'extensions', 'share_link'] })));
console.log(`${rows} jobs of the last seven days, from ${sandbox.count()} pages`);

await client.close();
await sandbox.close();

/* prints
8 jobs of the last seven days, from 4 pages
*/
