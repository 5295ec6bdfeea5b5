// Responses that take 50 ms, 16 requests in flight, which allow 320 pages a second at best: who keeps the sockets busy?
// `node crawl/latency.mjs [--rounds 3] [--searches 4] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    searches: { type: 'string', default: '4' },
    write: { type: 'boolean', default: false },
  },
});
const clients = {
  bytes: 'bytes only, nothing parsed',
  floor: 'floor: a loop by hand',
  pipes: 'trawler, pipes',
  flow: 'trawler, a flow with its journal',
  fetchPQueue: 'fetch + p-queue',
};
const service = await startService(50);
try {
  const runner = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
  const contenders = Object.keys(clients).map((name) => ({
    name,
    command: [process.execPath, runner, name, 'jsonl', service.url, values.searches, '16'],
  }));
  const results = await rounds(contenders, { count: Number(values.rounds) });
  const speed = ({ pages, wallMs }) => (pages / wallMs) * 1000;
  const rows = contenders.map(({ name }) => [
    clients[name],
    Math.round(median(results.get(name).map(speed))),
    times(ratio(results.get(name), results.get('bytes'), speed)),
  ]);
  const text = table(['responses after 50 ms, 16 in flight', 'pages / s', '× bytes only'], rows);
  console.log(text);
  if (values.write) {
    writePlot(
      'latency',
      'Pages a second, 50 ms and 16 in flight',
      contenders.map(({ name }) => ({
        label: clients[name],
        ours: name === 'pipes' || name === 'flow',
        value: median(results.get(name).map(speed)),
        note: String(Math.round(median(results.get(name).map(speed)))),
      })),
    );
    writeSection(
      'latency',
      `${setting('node bench/crawl/latency.mjs --write')} ${values.rounds} rounds.\n\n${text}\n\n![Pages a second](plots/latency.svg)`,
    );
  }
} finally {
  service.stop();
}
