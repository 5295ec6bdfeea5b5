// Fan-outs and walks beside rxjs's own, and what waits before a slow consumer.
// `node streams/bench.mjs [--counts 1000,10000,100000,300000] [--slow 20] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, rounds } from '../harness/rounds.mjs';

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '1000,10000,100000,300000' },
    rounds: { type: 'string', default: '3' },
    most: { type: 'string', default: '100000' },
    slow: { type: 'string', default: '20' },
    write: { type: 'boolean', default: false },
  },
});
const script = (name) => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
const one = async (command, count) =>
  [...(await rounds([{ name: 'it', command: [process.execPath, ...command] }], { count, warmup: 0 })).values()][0];
const parts = [];

const fanOuts = [];
for (const count of values.counts.split(',')) {
  const ours = await one([script('runFanOut'), 'fanOut', count], Number(values.rounds));
  const theirs = Number(count) > Number(values.most) ? undefined : await one([script('runFanOut'), 'mergeMap', count], 1);
  const each = (results) => (median(results.map(({ cpuMs }) => cpuMs)) * 1000) / Number(count);
  fanOuts.push({
    count: Number(count),
    ours: each(ours),
    theirs: theirs && each(theirs),
    oursMs: median(ours.map(({ wallMs }) => wallMs)),
    theirsMs: theirs?.[0].wallMs,
  });
}
parts.push(
  table(
    ['ids through eight workers', 'fanOut, µs an id', 'in all', 'mergeMap, µs an id', 'in all'],
    fanOuts.map(({ count, ours, theirs, oursMs, theirsMs }) => [
      count.toLocaleString('en'),
      ours.toFixed(2),
      `${(oursMs / 1000).toFixed(2)} s`,
      theirs === undefined ? `not run: --most ${count}` : theirs.toFixed(2),
      theirsMs === undefined ? '' : `${(theirsMs / 1000).toFixed(2)} s`,
    ]),
  ),
);

const walks = [];
for (const count of ['800', '10000', '50000']) {
  for (const when of ['sync', 'tick']) {
    for (const name of ['expandCursor', 'expand']) {
      const what = `${name}, ${Number(count).toLocaleString('en')} pages, ${when === 'sync' ? 'answered at once' : 'a tick later'}`;
      try {
        const [result] = await one([script('runWalk'), name, count, when], 1);
        walks.push([
          what,
          result.complete ? 'yes' : `no: ${result.pages}`,
          result.requests,
          ((result.cpuMs * 1000) / Number(count)).toFixed(1),
        ]);
      } catch (error) {
        walks.push([what, error.code === 13 ? 'no: it neither completed nor failed' : `no: exit code ${error.code}`, '', '']);
      }
    }
  }
}
parts.push(table(['one walk', 'complete', 'requests', 'CPU µs a page'], walks));

const slow = [];
for (const name of ['trawler', 'rxjs']) {
  const [result] = await one([script('runSlow'), name, values.slow], 1);
  slow.push([
    name === 'trawler' ? 'trawler: offsetPages, fanOut, expandCursor, iterate' : 'the same with expand, mergeMap and a queue',
    result.taken,
    result.requests,
    result.waitingPlaces,
    result.waitingRows,
    Math.round(result.heapMb),
    Math.round(result.rssMb),
  ]);
}
parts.push(
  table(
    [
      `5,000 places × reviews, 50 rows a second, ${values.slow} s`,
      'rows taken',
      'requests',
      'places waiting',
      'rows waiting',
      'heap MB',
      'peak MB',
    ],
    slow,
  ),
);

console.log(parts.join('\n\n'));
if (values.write) {
  writePlot(
    'streams',
    'µs an id through eight workers',
    fanOuts.flatMap(({ count, ours, theirs }) => [
      { label: `fanOut, ${count.toLocaleString('en')}`, value: ours, ours: true },
      ...(theirs === undefined ? [] : [{ label: `mergeMap, ${count.toLocaleString('en')}`, value: theirs }]),
    ]),
  );
  writeSection('streams', `${setting('npm run bench:streams')}\n\n${parts.join('\n\n')}\n\n![µs an id](plots/streams.svg)`);
}
