// The child process of SqlProcess: it opens one table, runs queries, and ends with the process that started it.
import { messageOf } from '../../errors/TrawlerError.ts';
import { DuckdbRows } from './DuckdbRows.ts';
import type { SqlResponse, SqlRequest } from './SqlProcess.ts';

/** The memory that Node and DuckDB take before a row is read. */
const ownBytes = 2 ** 28;
const lookMs = 10;

let rows: Promise<DuckdbRows> | undefined;

process.on('message', (request: SqlRequest) => {
  perform(request).then(say, (error: unknown) => say({ fault: messageOf(error) }));
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function perform(request: SqlRequest): Promise<SqlResponse> {
  if ('sql' in request) return { rows: await (await rows!).query(request.sql, request) };
  const { spec, maxBytes } = request;
  // DuckDB keeps to its limit when it sorts and joins, but not inside of a function. So this thread, which isn't blocked by it, checks.
  setInterval(() => {
    if (process.memoryUsage.rss() < maxBytes + ownBytes) return;
    say({ fault: `The query took more than ${Math.round(maxBytes / 2 ** 20)} MiB of memory, so it was ended.`, last: true }, () =>
      process.kill(process.pid, 'SIGKILL'),
    );
  }, lookMs);
  rows = DuckdbRows.open(spec, undefined, maxBytes);
  await rows;
  return { open: true };
}

function say(response: SqlResponse, then: () => void = () => undefined): void {
  process.send!(response, then);
}
