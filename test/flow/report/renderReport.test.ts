import { describe, expect, it } from 'vitest';
import { areaOf } from '../../../operators/split/areaOf.ts';
import { stageProgress } from './stageProgress.ts';
import { MapSketch } from '../../../src/flow/report/RunRecorder.ts';
import { renderReport } from '../../../src/flow/report/renderReport.ts';
import { exampleReport } from './exampleReport.ts';

describe('renderReport', () => {
  it('says the figures of the run', () => {
    const html = renderReport(exampleReport());
    for (const figure of ['1 min 4 s', '45,322', '2,763', '2,012', '34,512 rows, 38 MB']) expect(html).toContain(figure);
  });

  it('never turns data from the service into HTML elements', () => {
    const html = renderReport(exampleReport());
    expect(html).not.toMatch(/<script|<img|<b>&<\/b>/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toContain('\u202e');
  });

  it('says the answer first, then whether it is complete and what to do, then what failed, then the files, then the rest below a fold', () => {
    const headline = {
      kind: 'table',
      title: 'places.csv',
      columns: ['city', 'rank'],
      figures: 1,
      rows: [
        ['Oslo', '<3>'],
        ['2026-11-29T09:39:09.479Z', '4'],
      ],
      more: 2,
    } as const;
    const html = renderReport({ ...exampleReport(), headlines: [headline], command: 'trawler run coffee.json --out o' });
    const parts = [
      '<h1>coffee &lt;b&gt;&amp;&lt;/b&gt; tea</h1><span class="badge bad">failed</span></div>',
      '<td class="n"><bdi>&lt;3&gt;</bdi></td>',
      '<td><span class="nowrap">2026-11-29 09:39</span></td>',
      'and 2 more',
      '<h2>Is it complete?</h2>\n<p class="ending">done, 3 queries failed, after 1 min 4 s; 2,012 requests',
      '3 queries failed. Retry:<code class="command">trawler run coffee.json --out o --failures</code>',
      '<h2>Failures</h2>',
      '2 ×',
      '<a href="places.csv">places.csv</a>',
      '<details class="fold"><summary><h2>Times, costs and stages</h2></summary>',
      '45,322 rows from 2,763 pages. This run sent 31 requests per second.',
    ];
    const places = parts.map((part) => html.indexOf(part));
    expect(places.filter((place) => place < 0)).toEqual([]);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('draws a line for each name of a series, with gaps where nothing is known', () => {
    const lines = [{ name: 'Grand', values: [440, null, 450] }, { name: 'Small & old', values: [80, 90, 100] }]; // prettier-ignore
    const series = {
      kind: 'series',
      title: 'nights.csv: price by night',
      over: ['2026-05-01', '2026-05-02', '2026-05-03'],
      lines,
      more: 0,
    } as const;
    const html = renderReport({ ...exampleReport(), headlines: [series] });
    expect(html).toContain('<bdi>Small &amp; old</bdi>: 80 to 100');
    expect(html.match(/<path class="c1" d="(M[^L"]*){2}"/g)).toHaveLength(1);
    expect(html).toContain('>2026-05-03</text>');
  });

  it('counts what is left out of the failures', () => {
    const data = exampleReport();
    const more = data.stages.map((stage) => ({ ...stage, failed: stage.name === 'reviews' ? stage.failed + 11 : stage.failed }));
    const others = '11 ×</td><td></td><td class="wide">of other kinds: see <a href="failures.jsonl">';
    expect(renderReport(data)).not.toContain('of other kinds');
    expect(renderReport({ ...data, stages: more })).toContain(others);
  });

  it('shows the rows of a stage once, below all of its files', () => {
    const html = renderReport(exampleReport());
    expect(html).toMatch(/reviews\.jsonl<\/a>.*<b>reviews\.csv<\/b> <span class="mute">not written yet<\/span><\/p><div class="scroll"/);
    expect(html.match(/<th scope="col">user\.name<\/th>/g)).toHaveLength(1);
  });

  it('shows every table of a database', () => {
    const data = exampleReport();
    const [places, reviews] = data.stages.map((stage, index) => ({ ...stage, rows: 10 + index, to: ['all.duckdb'] }));
    const html = renderReport({ ...data, stages: [places!, reviews!], files: [{ path: 'all.duckdb', rows: 21, bytes: 9, sha256: 'f' }] });
    expect(html).toMatch(/table places, one of 2.*\n?.*<th scope="col">address<\/th>/);
    expect(html).toMatch(/table places, one of 2<\/span> <span class="mute">10 rows, 9 B/);
    expect(html).toMatch(/table reviews, one of 2.*\n?.*<th scope="col">user\.name<\/th>/);
  });

  it('tells the requests of a resumed run from those of all runs', () => {
    const html = renderReport({ ...exampleReport(), earlierRequests: 988 });
    expect(html).toContain('2,012 requests (3,000 with the runs before)');
    expect(html).toContain('2,763 requests brought a page. The other 237 were retries');
    expect(renderReport(exampleReport())).not.toMatch(/runs before|brought a page/);
  });

  it('links to a part where a file is not finished', () => {
    const data = exampleReport();
    const html = renderReport({
      ...data,
      files: data.files.map((file) => ({ ...file, sha256: file.path === 'places.csv' ? undefined : file.sha256 })),
    });
    expect(html).toContain('<a href="places.csv.part">places.csv.part</a>');
  });

  it('says what the outcomes of its stages mean', () => {
    const html = renderReport(exampleReport());
    expect(html).toContain('<b>capped</b>: a limit of the flow or the service');
    expect(html).not.toContain('<b>doubtful</b>');
  });

  it('has a key and a scale on a map, in which a bar has the length that it says', () => {
    const data = exampleReport();
    const sketch = new MapSketch();
    const half = 1 / 2 ** 11; // a tile at the equator, 39.1 km wide
    sketch.add({ stage: 'places', x: 0.5, y: 0.5, across: half, down: half, zoom: 10, rows: 20, end: 'full', dots: [[0.5, 0.5]] });
    const html = renderReport({ ...data, maps: new Map([['places', sketch]]) });
    expect(html).toContain('<i class="full"></i>tile with more rows than were found</span>');
    expect(html).toContain('>5 km</text>');
    const [, end] = /class="scale" d="M16 [\d.]+v6H([\d.]+)/.exec(html)!;
    expect((Number(end) - 16) / 1000).toBeCloseTo(5 / 39.136, 3);
  });

  it('draws the area on a map, and cuts the map to it', () => {
    const data = exampleReport();
    const sketch = new MapSketch();
    sketch.add({ stage: 'places', x: 0.5, y: 0.5, across: 0.4, down: 0.4, zoom: 1, rows: 20, end: 'done', dots: [[0.5, 0.5]] });
    const { rings } = areaOf('test', [0, 0, 2, 1]);
    const html = renderReport({ ...data, maps: new Map([['places', sketch]]), areas: new Map([['places', rings]]) });
    const outline = /class="area" d="M([^"]+)Z"/.exec(html)![1]!;
    const across = outline.split('L').map((point) => Number(point.split(' ')[0]));
    expect(Math.max(...across) - Math.min(...across)).toBeCloseTo(1000 / 1.16, 0); // a margin of 8 % on each side
    expect(html).toContain('<i class="area"></i>area</span>');
  });

  it('draws rows on a map, with the value of a column in a circle, and a dash where nothing was found', () => {
    const at = [40.73, 40.74, 40.75].flatMap((latitude) => [-74, -73.99].map((longitude) => ({ latitude, longitude })));
    const points = at.map((point, index) => ({ ...point, value: index === 4 ? null : String(index + 1) }));
    const html = renderReport({ ...exampleReport(), headlines: [{ kind: 'map', title: 'ranks, <tea>', by: 'rank', points }] });
    expect(html).toContain('ranks, &lt;tea&gt;: rank at 5 of 6 points');
    expect(
      Array.from(html.matchAll(/<circle class="([\w-]+)".*?<text class="label[^>]*>([^<]*)</g), ([, kind, label]) => `${kind} ${label}`),
    ).toEqual(['q5 1', 'q5 2', 'q5 3', 'q4 4', 'line-colour –', 'q4 6']);
    expect(html).toContain('<i class="row line-colour"></i>no rank</span>');
  });

  it('has no label on a map that would lie on another', () => {
    const at = [...[40.73, 40.74, 40.75].flatMap((latitude) => [-74, -73.99].map((longitude) => [latitude, longitude])), [40.7501, -73.99]];
    const points = at.map(([latitude, longitude], index) => ({ latitude: latitude!, longitude: longitude!, value: String(index + 1) }));
    const html = renderReport({ ...exampleReport(), headlines: [{ kind: 'map', title: 'places', by: 'rating', points }] });
    expect(html.match(/<circle /g)).toHaveLength(7);
    expect(Array.from(html.matchAll(/<text class="label[^>]*>([^<]*)</g), ([, label]) => label)).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('says first what the run remarked at its end', () => {
    const html = renderReport({
      ...exampleReport(),
      remarks: ['places: no row lies in the area. Longitude comes first: are the two swapped?'],
    });
    expect(html).toMatch(/<ul class="steps"><li>places: no row lies in the area/);
  });

  it('lists queries without rows by the columns that they keep', () => {
    const stages = [stageProgress('places', { empty: 7, emptyQueries: [{ city: 'Oslo' }, { city: 'Bern', country: 'CH' }] })];
    expect(renderReport({ ...exampleReport(), stages })).toMatch(
      /<h3>places: 7, the first 2<\/h3>.*>city<\/th>.*>country<\/th>.*Oslo.*Bern/s,
    );
  });

  it('says what requests beyond those of pages were for', () => {
    const data = { ...exampleReport(), stages: [stageProgress('places', { pages: 122, rows: 900 })], requests: 184 };
    expect(renderReport(data)).toContain('122 requests brought a page. The other 62 were retries, rechecks');
    expect(renderReport({ ...data, requests: 122 })).not.toContain('brought a page');
    const one = { ...data, stages: [stageProgress('places', { pages: 1, rows: 9 })], requests: 2 };
    expect(renderReport(one)).toContain('1 request brought a page. The other 1 was a retry, a recheck of a page');
  });

  it('is complete for a run in which nothing happened', () => {
    const data = { ...exampleReport(), stages: [], files: [] };
    expect(renderReport(data)).toContain('This flow writes no files.');
    expect(renderReport(data)).not.toMatch(/NaN|undefined|Infinity/);
  });
});
