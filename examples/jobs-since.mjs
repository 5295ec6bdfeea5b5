// Jobs that were posted since a date, to a CSV file.
import { filter, lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { distinctBy, expandCursor, items } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const dayMs = 86_400_000;
const since = new Date(Date.now() - 10 * dayMs); // or new Date('2030-05-01')

const unitMs = { minute: dayMs / 1440, hour: dayMs / 24, day: dayMs, week: 7 * dayMs, month: 30 * dayMs, year: 365 * dayMs };
/** The service says '3 days ago', and not for every job: then this is an Invalid Date, which is never later than another. */
function postedAt({ extensions }) {
  const [, count, unit] = /\b(an?|\d+) (minute|hour|day|week|month|year)s? ago\b/.exec(extensions.join('; ')) ?? [];
  return new Date(Date.now() - (Number(count) || 1) * unitMs[unit]);
}

const report = await lastValueFrom(
  of({ query: 'data engineer' }).pipe(
    expandCursor(client.jobSearch),
    items(),
    filter((job) => postedAt(job) >= since),
    distinctBy('job_id'), // a job may move to a later page while we read
    toCsv('jobs.csv', {
      columns: ['title', 'company_name', 'location', { header: 'posted', value: (job) => postedAt(job).toISOString().slice(0, 10) }],
    }),
  ),
);
console.log(`${report.path}: ${report.rows} jobs, from ${sandbox.count()} pages`);

await client.close();
await sandbox.close();

/* prints
jobs.csv: 16 jobs, from 4 pages
*/
