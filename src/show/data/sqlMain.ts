// The process of SqlProcess: it opens one table, runs the queries that it is told, and ends with the process that started it.
import { messageOf } from '../../errors/TrawlerError.ts';
import { DuckdbRows } from './DuckdbRows.ts';
import type { SqlAnswer, SqlOrder } from './SqlProcess.ts';

/** What Node and DuckDB take before a row is read. */
const ownBytes = 2 ** 28;
const lookMs = 10;

let rows: Promise<DuckdbRows> | undefined;

process.on('message', (order: SqlOrder) => {
  perform(order).then(say, (error: unknown) => say({ fault: messageOf(error) }));
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function perform(order: SqlOrder): Promise<SqlAnswer> {
  if ('sql' in order) return { rows: await (await rows!).query(order.sql, order) };
  const { spec, maxBytes } = order;
  // DuckDB keeps its limit where it sorts and joins, but not inside a function, whose values this thread doesn't wait for.
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

function say(answer: SqlAnswer, then: () => void = () => undefined): void {
  process.send!(answer, then);
}
