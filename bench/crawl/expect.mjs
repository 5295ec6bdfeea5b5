// What counting for a flow's expectations costs: a crawl with them beside one without, and the counting alone.
// `node crawl/expect.mjs [--rounds 5] [--searches 20] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Listener } from '../../dist/operators/kit/Listener.js';
import { compileFlow } from '../../dist/src/flow/definition/compileFlow.js';
import { filledIn } from '../../dist/src/flow/query/bindQueries.js';
import { createClient } from '../../dist/src/index.js';
import { setting, table, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    searches: { type: 'string', default: '20' },
    write: { type: 'boolean', default: false },
  },
});
const expected = { rows: { '>=': 1000 }, filled: { snippet: 0.9, rating: 1, iso_date: 1 }, rowsPerQuery: { '>=': 1 }, vsLast: 0.8 };

/** µs for one review page: the quickest of 60 batches, which is the one that nothing else disturbed. */
async function countAlone(url) {
  const client = createClient({ baseUrl: url, apiKey: 'key' });
  // As a flow takes them: unparsed.
  const { items } = await new Promise((next, error) => {
    client.mapsReviews({ data_id: 'x' }).subscribe(new Listener({ next, error, complete() {} }, true));
  });
  await client.close();
  const flow = compileFlow({
    name: 'alone',
    stages: { reviews: { call: 'mapsReviews', with: { data_id: 'x' }, to: 'rows.jsonl', expect: expected } },
  });
  let quickest = Infinity;
  for (let batch = 0; batch < 60; batch += 1) {
    const start = performance.now();
    for (let i = 0; i < 600; i += 1) if (filledIn(flow.stages[0], items).rating !== items.length) throw new Error('a row has no rating');
    quickest = Math.min(quickest, ((performance.now() - start) * 1000) / 600);
  }
  return quickest;
}

const service = await startService();
try {
  const runner = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
  const contenders = [
    ['without', {}],
    ['with', { expect: expected }],
  ].map(([name, options]) => ({
    name,
    command: [process.execPath, runner, 'flow', 'jsonl', service.url, values.searches, '16', JSON.stringify(options)],
  }));
  const results = await rounds(contenders, { count: Number(values.rounds) });
  const each = ({ cpuMs, pages }) => (cpuMs * 1000) / pages;
  const whole = median(results.get('without').map(each));
  const alone = await countAlone(service.url);
  const rows = [
    ['a page, nothing expected', `${whole.toFixed(0)} µs`, '1'],
    [
      'a page, rows, three fields, rows per query and the run before',
      `${median(results.get('with').map(each)).toFixed(0)} µs`,
      times(ratio(results.get('with'), results.get('without'), each)),
    ],
    ['the three fields of 20 reviews alone', `${alone.toFixed(1)} µs`, `${((alone / whole) * 100).toFixed(1)} % of the whole`],
  ];
  const text = table(['a flow to JSONL', 'CPU', '× without'], rows);
  console.log(text);
  if (values.write) writeSection('expect', `${setting('node bench/crawl/expect.mjs --write')} ${values.rounds} rounds.\n\n${text}`);
} finally {
  service.stop();
}
