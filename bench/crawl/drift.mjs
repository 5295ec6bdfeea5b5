// What checking every response against its documented shape costs: a crawl with `validate: 'report'` beside `'off'`, where
// responses conform and where each of their rows lacks a documented object, and the check alone.
// `node crawl/drift.mjs [--rounds 5] [--searches 20] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkResponse, operations } from 'trawler';
import { setting, table, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { responseTo } from '../service/responses.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    searches: { type: 'string', default: '20' },
    write: { type: 'boolean', default: false },
  },
});

/** µs for one review page: the quickest of 60 batches, which is the one that nothing else disturbed. */
function checkAlone() {
  const pages = [0, 1, 2].map((n) => {
    const response = responseTo(`/maps/reviews?data_id=x&next_page_token=token-${n}`);
    return JSON.parse(response.subarray(response.indexOf('\r\n\r\n') + 4)).data;
  });
  let quickest = Infinity;
  for (let batch = 0; batch < 60; batch += 1) {
    const start = performance.now();
    for (let i = 0; i < 600; i += 1) {
      if (checkResponse(operations.mapsReviews, pages[i % 3], { data_id: 'x' }).issues.length > 0)
        throw new Error('the response has drifted');
    }
    quickest = Math.min(quickest, ((performance.now() - start) * 1000) / 600);
  }
  return quickest;
}

const service = await startService();
const drifting = await startService(0, 'drift');
try {
  const runner = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
  const contender = (name, { url }, validate) => ({
    name,
    command: [process.execPath, runner, 'pipes', 'jsonl', url, values.searches, '16', JSON.stringify({ validate })],
  });
  const contenders = [
    contender('off', service, 'off'),
    contender('report', service, 'report'),
    contender('drifting off', drifting, 'off'),
    contender('drifting report', drifting, 'report'),
  ];
  const results = await rounds(contenders, { count: Number(values.rounds) });
  const each = ({ cpuMs, pages }) => (cpuMs * 1000) / pages;
  const whole = median(results.get('report').map(each));
  const alone = checkAlone();
  const rows = [
    ["a page, validate: 'off'", `${median(results.get('off').map(each)).toFixed(0)} µs`, '1'],
    ["a page, validate: 'report'", `${whole.toFixed(0)} µs`, times(ratio(results.get('report'), results.get('off'), each))],
    ["a page whose rows lack an object, 'off'", `${median(results.get('drifting off').map(each)).toFixed(0)} µs`, '1'],
    [
      "a page whose rows lack an object, 'report'",
      `${median(results.get('drifting report').map(each)).toFixed(0)} µs`,
      times(ratio(results.get('drifting report'), results.get('drifting off'), each)),
    ],
    ['the check of a page of 20 reviews alone', `${alone.toFixed(1)} µs`, `${((alone / whole) * 100).toFixed(1)} % of the whole`],
  ];
  const text = table(['pipes to JSONL', 'CPU', "× 'off'"], rows);
  console.log(text);
  if (values.write) writeSection('drift', `${setting('node bench/crawl/drift.mjs --write')} ${values.rounds} rounds.\n\n${text}`);
} finally {
  service.stop();
  drifting.stop();
}
