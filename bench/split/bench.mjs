// Requests to find every place of a region. `node split/bench.mjs [--places 5000] [--write]`; counts requests, so a busy machine changes nothing.
import { parseArgs } from 'node:util';
import { lastValueFrom, of, tap } from 'rxjs';
import { coverArea } from '../../dist/operators/index.js';
import { AreaCover } from '../../dist/operators/split/AreaCover.js';
import { areaOf } from '../../dist/operators/split/areaOf.js';
import { latitudeAt, longitudeAt, pixelAt } from '../../dist/operators/split/Area.js';
import { World } from '../../dist/src/sandbox/world/World.js';
import { operations } from '../../dist/src/index.js';
import { setting, table, writeSection } from '../harness/report.mjs';

const { values } = parseArgs({ options: { places: { type: 'string', default: '5000' }, write: { type: 'boolean', default: false } } });
const within = [6, 47.5, 14.5, 54.5];
const view = [1024, 768];
const cap = 120;
const pages = (rows) => Math.floor(rows / 20) + (rows >= cap ? 0 : 1);

/** A region with what lies in it, and a count of requests. */
function region(seed) {
  const world = new World({ seed, now: () => 0, map: { places: Number(values.places), within, view, cap } });
  const area = areaOf('bench', within);
  const inside = ({ x, y }) => area.contains(longitudeAt(x), latitudeAt(y));
  const all = world.geography.all('coffee').filter(inside).length;
  return { world, area, inside, all, found: new Set(), requests: 0 };
}

function search(here, { x, y, zoom }) {
  const rows = here.world.geography.search('coffee', { latitude: latitudeAt(y), longitude: longitudeAt(x), zoom });
  here.requests += pages(rows.length);
  for (const row of rows) if (here.inside(row)) here.found.add(row.bits);
  return rows;
}

/** Cells of one size, each searched at the greatest zoom whose view holds it. */
function grid(seed, sizeInView) {
  const here = region(seed);
  const { left, right, top, bottom } = here.area.box;
  const zoom = Math.floor(Math.log2(1 / sizeInView) + 1e-9);
  const [width, height] = [view[0] * sizeInView * pixelAt(0), view[1] * sizeInView * pixelAt(0)];
  for (let x = left + width / 2; x < right + width / 2; x += width) {
    for (let y = top + height / 2; y < bottom + height / 2; y += height) search(here, { x, y, zoom });
  }
  return here;
}

/** The cell size that finds as many with the fewest requests. */
function bestGrid(seed, enough) {
  for (let step = 12; ; step++) {
    const here = grid(seed, 2 ** (-step / 2));
    if (here.found.size >= here.all * enough || here.requests > 200_000) return here;
  }
}

/** A quadtree that takes the view for so large. */
function quadtree(seed, sight) {
  const here = region(seed);
  const plan = new AreaCover(here.area, { zoom: [3, 21], full: 100, pageSize: 20, sight });
  for (let tile = plan.next(); tile !== undefined; tile = plan.next()) {
    const rows = search(here, tile).map(({ bits, x, y }) => ({ id: bits, x, y }));
    plan.done(tile, { rows, count: rows.length });
  }
  return here;
}

async function covered(seed) {
  const here = region(seed);
  const factory = (query) => {
    here.requests++;
    const [latitude, longitude, zoom] = query.ll.slice(1).split(',').map(Number.parseFloat);
    const rows = here.world.geography.search('coffee', { latitude, longitude, zoom }).slice(query.page ?? 0, (query.page ?? 0) + 20);
    const items = rows.map(({ bits, x, y }) => ({
      data_id: bits,
      gps_coordinates: { latitude: latitudeAt(y), longitude: longitudeAt(x) },
    }));
    return of({ operation: 'mapsSearch', query, data: {}, items });
  };
  const { paging, id, splits } = operations.mapsSearch.spec;
  const rows$ = coverArea(Object.assign(factory, { paging, id, splits }), { within, query: 'coffee' });
  await lastValueFrom(rows$.pipe(tap(({ items }) => items.forEach(({ data_id }) => here.found.add(data_id)))));
  return here;
}

const seeds = ['one', 'two', 'three'];
const lines = [];
const add = (name, list) => {
  const sum = (of) => list.reduce((total, here) => total + of(here), 0);
  const [found, all, requests] = [sum((here) => here.found.size), sum((here) => here.all), sum((here) => here.requests)];
  lines.push([name, Math.round(requests / list.length).toLocaleString('en-US'), `${((100 * found) / all).toFixed(2)} %`]);
  return requests;
};
const ours = add('`coverArea`, which learns how far a search sees', await Promise.all(seeds.map(covered)));
add(
  'a quadtree that was told',
  seeds.map((seed) => quadtree(seed, { across: 512, down: 384 })),
);
add(
  'a quadtree that takes one tile of 256 pixels for the view',
  seeds.map((seed) => quadtree(seed, { across: 128, down: 128 })),
);
const best = add(
  'the best fixed grid that finds 99 %, told how far a search sees',
  seeds.map((seed) => bestGrid(seed, 0.99)),
);
const text = `${table(['', 'requests', 'found'], lines)}

${Number(values.places).toLocaleString('en-US')} places in towns of ${within.join(', ')}, ${cap} to a search, mean of ${seeds.length} seeds. \`coverArea\` asks ${(best / ours).toFixed(1)} times less than the grid.

${setting('node split/bench.mjs')}`;
console.log(text);
if (values.write) writeSection('split', text);
