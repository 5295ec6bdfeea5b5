import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FlowError } from '../../src/errors/index.ts';
import { packageFile } from '../../src/files/dataPackage.ts';
import { checkFlow, loadFlow } from '../../src/flow/index.ts';
import { changesFolder, emptyFile, failuresFile, rejectedFile, reportFile } from '../../src/flow/state/FlowFolder.ts';
import { smallFlow } from './smallFlow.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-check-'));
  await writeFile(join(folder, 'cities.csv'), '\uFEFFcity,"the ""country""",gps.lat\nOslo,no,1\n');
  await writeFile(join(folder, 'cities.jsonl'), '\n{"city":"Oslo","country":"no"}\n');
  await writeFile(join(folder, 'rotten.jsonl'), 'Oslo\n');
  await writeFile(join(folder, 'keys.csv'), 'AKIAIOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n');
  await mkdir(join(folder, 'out'));
  await symlink(tmpdir(), join(folder, 'out', 'away'));
});
afterAll(() => rm(folder, { recursive: true }));

const places = { call: 'mapsSearch', with: { query: 'coffee' } };
const faults = (definition: unknown): string[] =>
  checkFlow(definition, { folder, outDir: join(folder, 'out'), env: { CITY: 'Oslo' } }).map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
const stages = (all: object): object => ({ name: 'bad', env: ['CITY', 'TOWN', 'DATABASE_URL'], stages: all });
const child = (stage: object): object =>
  stages({ places, child: { each: 'places', call: 'mapsReviews', with: { data_id: '$.data_id' }, ...stage } });

describe('checkFlow', () => {
  it('finds nothing wrong with a flow that is right', () => {
    expect(faults(smallFlow)).toEqual([]);
    expect(
      faults(
        stages({
          a: {
            call: 'mapsSearch',
            each: 'cities.csv',
            with: { query: '${$.city} in ${$.the "country"}, $${env.CITY}', ll: '$.gps.lat' },
            keep: { city: '$.city' },
            by: ['place_id'],
          },
          b: {
            call: 'placePosts',
            each: 'a',
            keep: { city: '$.city', kinds: '$.types[]' },
            where: { image: { exists: true } },
            to: 'sub/posts.csv.gz',
          },
          c: { call: 'mapsSearch', each: '-', with: { query: '$.anything' } },
          d: { call: 'scholarAuthor', with: { author_id: 'x', view_op: 'list_colleagues' }, pick: ['anything'] },
          e: { call: 'webSearch', with: { query: '${env.CITY}' }, rows: 'ads' },
          g: { call: 'webSearch', with: { query: 'x' }, rows: 'local_results' },
          h: { call: 'localPlaces', each: 'g' },
          i: { call: 'hotelSearch', with: { query: 'x', check_in_date: '2030-05-01', check_out_date: '2030-05-04' } },
          j: { call: 'hotelDetails', each: 'i', with: { check_in_date: '2030-05-01', check_out_date: '2030-05-04' } },
          k: { call: 'immersiveProduct', with: { page_token: 'x' }, rows: 'more_options' },
          l: { call: 'productOptions', each: 'k' },
          m: { call: 'newsSearch', with: { query: 'x' }, rows: 'menu_links' },
          n: { call: 'newsTopics', each: 'm' },
          o: { call: 'scholarSearch', with: { query: 'x' } },
          p: { call: 'workVersions', each: 'o' },
          f: { call: 'autocomplete', each: 'e', with: { query: '$.whatever' } },
        }),
      ),
    ).toEqual([]);
  });

  it.each<[kind: string, definition: unknown, message: string | readonly string[]]>([
    ['no flow', 3, "3 can't stand here: an object with a name and stages"],
    ['nothing in it', {}, ['name: name is missing', 'stages: stages is missing']],
    ['no stages', stages({}), 'stages: a flow needs at least one stage'],
    [
      'a misspelt key of the flow',
      { ...stages({ places }), maxrequests: 3 },
      "maxrequests: 'maxrequests' is not a key of a flow; did you mean 'maxRequests'?",
    ],
    ['a share above 1', { ...stages({ places }), failAbove: 2 }, "failAbove: 2 can't stand here: a share from 0 to 1"],
    [
      'a misspelt key of a stage',
      stages({ places: { ...places, onErorr: 'stop' } }),
      "stages.places.onErorr: 'onErorr' is not a key of a stage; did you mean 'onError'?",
    ],
    [
      'a key under another name, where a needed one is missing',
      stages({ places: { ...places, cover: { area: 'city.geojson' } } }),
      ['stages.places.cover.within: within is missing', "stages.places.cover.area: 'area' is not a key of cover; did you mean 'within'?"],
    ],
    [
      'an area within split',
      stages({ places: { ...places, split: { area: [0, 0, 1, 1] } } }),
      "stages.places.split.area: 'area' is not a key of split; an area of the map goes into cover, a key of the stage",
    ],
    [
      'a split by area',
      stages({ places: { ...places, split: { by: 'area' } } }),
      "stages.places.split: mapsSearch can be split by values, or by: 'range'; give the values of 'area'; an area of the map goes into cover, a key of the stage",
    ],
    [
      'an unknown comparison',
      child({ where: { rating: { '=>': 4 } } }),
      "stages.child.where.rating.=>: '=>' is not a key of a comparison; there are =, !=, >, >=, <, <=, exists, contains, domain",
    ],
    [
      'a stage name that is none',
      stages({ '2nd': places }),
      "stages.2nd: '2nd' can't be a stage's name: it begins with a letter and has only letters, digits, _ and -",
    ],
    [
      'no pages',
      stages({ places: { ...places, pages: 0 } }),
      "stages.places.pages: 0 can't stand here: a whole number from 1 on, or 'all'",
    ],
    [
      'an unknown operation',
      stages({ places: { ...places, call: 'mapSearch' } }),
      "stages.places.call: no operation is called 'mapSearch'; did you mean 'mapsSearch'?",
    ],
    [
      'an operation of another service',
      stages({ places: { ...places, call: 'xyzzyxyzzy' } }),
      `stages.places.call: no operation is called 'xyzzyxyzzy'; 'trawler operations' lists them. If it is of another service, name it: "service": "./FILE", or --service NAME`,
    ],
    [
      'an unknown parameter',
      stages({ places: { call: 'mapsSearch', with: { query: 'a', counrty: 'no' } } }),
      "stages.places.with.counrty: mapsSearch has no parameter 'counrty'; did you mean 'country'?",
    ],
    [
      'a parameter that is missing',
      stages({ places: { call: 'mapsSearch' } }),
      'stages.places.with: query is required: what to search for',
    ],
    [
      'a value that can not be',
      child({ with: { data_id: '$.data_id', results: 50 } }),
      'stages.child.with.results: results must be a whole number from 1 to 20, not 50',
    ],
    [
      'one of several values',
      child({ with: { data_id: '$.data_id', sort_by: ['newestFirst', 'newest'] } }),
      'stages.child.with.sort_by.1: sort_by must be one of "qualityScore", "newestFirst", "ratingHigh", "ratingLow", not "newest"',
    ],
    [
      'an unknown field of the row',
      child({ with: { data_id: '$.dataId' } }),
      "stages.child.with.data_id: rows of stage places (mapsSearch) have no 'dataId'; did you mean 'data_id'?",
    ],
    [
      'an unknown field inside',
      child({ keep: { lat: '$.gps_coordinates.lattitude' } }),
      "stages.child.keep.lat: rows of stage places (mapsSearch) have no 'gps_coordinates.lattitude'; did you mean 'gps_coordinates.latitude'?",
    ],
    [
      'a list where a value is needed',
      child({ with: { data_id: '$.types' } }),
      "stages.child.with.data_id: 'types' is a list: write 'types[]' to run over it",
    ],
    [
      'an object where a value is needed',
      child({ with: { data_id: '$.gps_coordinates' } }),
      "stages.child.with.data_id: 'gps_coordinates' is an object: name one of its fields",
    ],
    [
      '[] behind a value',
      child({ with: { data_id: '$.title[]' } }),
      "stages.child.with.data_id: 'title[]' has [] after something that isn't a list",
    ],
    [
      'a path that is none',
      child({ with: { data_id: '$.a..b' } }),
      "stages.child.with.data_id: '$.a..b' isn't a path: write $.field, $.object.field or $.list[].field",
    ],
    [
      'a row where none is run over',
      stages({ a: { call: 'mapsPosts', with: { data_id: '$.id' } } }),
      "stages.a.with.data_id: '$.id' reads a row, but the stage has no input rows: name them with 'each'",
    ],
    [
      'an unknown field of its own rows',
      child({ by: 'reviewid', where: { 'user.nmae': 'x' } }),
      [
        "stages.child.where.user.nmae: rows of mapsReviews have no 'user.nmae'; did you mean 'user.name'?",
        "stages.child.by: rows of mapsReviews have no 'reviewid'; did you mean 'review_id'?",
      ],
    ],
    [
      'fields to write and to leave out',
      child({ pick: ['!review_di', 'rating'], by: 'review_id' }),
      [
        "stages.child.pick: pick says what is written, or with ! what is not: ['!as_of'], and not both",
        "stages.child.pick: rows of mapsReviews have no 'review_di'; did you mean 'review_id'?",
      ],
    ],
    [
      'an id that is left out',
      child({ pick: ['!review_id'], since: {}, by: 'review_id' }),
      "stages.child.pick: don't leave out 'review_id': an update needs it to find new rows",
    ],
    [
      'what an update goes by',
      child({
        since: { field: 'iso_dat', unless: '$.review' },
        with: { data_id: '$.data_id', sort_by: 'ratingHigh' },
        pick: ['review_id'],
      }),
      [
        "stages.child.since.unless: rows of stage places (mapsSearch) have no 'review'; did you mean 'reviews'?",
        "stages.child.since.field: rows of mapsReviews have no 'iso_dat'; did you mean 'iso_date'?",
        "stages.child.pick: pick 'iso_dat', too: an update needs it to find new rows",
        "stages.child.with.sort_by: a stage with 'since' is walked newest first: leave out sort_by",
      ],
    ],
    [
      'an update where nothing says when a row is from',
      stages({ a: { call: 'autocomplete', with: { query: 'x' }, since: {}, to: 'a.jsonl' } }),
      [
        "stages.a.since: name the 'field': autocomplete doesn't say when a row is from",
        "stages.a.since: name the 'id': autocomplete doesn't say what identifies a row",
      ],
    ],
    ['an unknown list', child({ rows: 'topic' }), "stages.child.rows: mapsReviews has no list 'topic'; did you mean 'topics'?"],
    [
      'a column of the seed file',
      stages({ a: { call: 'mapsSearch', each: 'cities.csv', with: { query: '$.City' } } }),
      "stages.a.with.query: rows of cities.csv have no 'City'; did you mean 'city'?",
    ],
    [
      'a field of the first seed',
      stages({ a: { call: 'mapsSearch', each: 'cities.jsonl', with: { query: '$.town' } } }),
      "stages.a.with.query: rows of cities.jsonl have no 'town'; there are city, country",
    ],
    [
      'a seed file that begins with a key instead of a heading',
      stages({ a: { call: 'mapsSearch', each: 'keys.csv', with: { query: '$.town' } } }),
      "stages.a.with.query: rows of keys.csv have no 'town'",
    ],
    [
      'an unknown stage',
      child({ each: 'place' }),
      "stages.child.each: no stage is called 'place', and it isn't a .csv, .tsv or .jsonl file; did you mean 'places'?",
    ],
    ['a stage twice', child({ each: ['places', 'places'] }), "stages.child.each.1: 'places' is named twice"],
    [
      'a seed file beside a stage',
      child({ each: ['places', '-'] }),
      'stages.child.each: a seed file stands alone: name stages, or one seed file',
    ],
    [
      'standard input twice',
      stages({ a: { ...places, each: '-' }, b: { ...places, each: '-' } }),
      'stages.b.each: standard input is read by stage a already',
    ],
    [
      'a circle',
      stages({ a: { ...places, each: 'b' }, b: { ...places, each: 'c' }, c: { ...places, each: 'a' } }),
      'stages.a.each: stages run over each other in a circle: a ← b ← c ← a',
    ],
    [
      'a variable that is not set',
      stages({ a: { call: 'mapsSearch', with: { query: '${env.TOWN}' } } }),
      'stages.a.with.query: the environment has no TOWN, which ${env.TOWN} stands for',
    ],
    [
      'the key',
      stages({ a: { call: 'mapsSearch', with: { query: '${env.TRAWLER_API_KEY}' } } }),
      "stages.a.with.query: ${env.TRAWLER_API_KEY} is the client's own, and a flow is written to disk: leave it to the client",
    ],
    [
      'a variable that the flow does not list',
      stages({ a: { call: 'mapsSearch', with: { query: '${env.HOME}' } } }),
      `stages.a.with.query: \${env.HOME} isn't allowed: list it in the flow, "env": ["HOME"]`,
    ],
    [
      'a file inside another file',
      stages({ a: { ...places, to: 'a.csv' }, b: { ...places, to: 'a.csv/b.csv' } }),
      "stages.b.to: 'a.csv/b.csv' and 'a.csv' can't both be: one is the folder of the other",
    ],
    [
      'a file inside the name that another has while it is written',
      stages({ a: { ...places, to: 'a.csv.part/b.csv' }, b: { ...places, to: 'a.csv' } }),
      "stages.b.to: 'a.csv' and 'a.csv.part/b.csv' can't both be: one is the folder of the other",
    ],
    [
      "a file inside one of the run's own",
      stages({ a: { ...places, to: 'datapackage.json/a.csv' } }),
      "stages.a.to: 'datapackage.json/a.csv' is a name that a run needs for itself",
    ],
    [
      'text that stands for nothing',
      child({ with: { data_id: '${data_id}' } }),
      "stages.child.with.data_id: '${data_id}' can't be read: write ${$.field}, ${env.NAME}, ${now} or ${today}, or $${ for the characters themselves",
    ],
    [
      'a field within text that is written as if it stood alone',
      child({ keep: { text: 'at $.title, $$.50' } }),
      "stages.child.keep.text: '$.title' is only text here: inside other text write ${$.title}, or $$.title for the characters themselves",
    ],
    [
      'a parameter that several parents lack',
      stages({ places, two: places, child: { each: ['places', 'places', 'two'], call: 'mapsReviews', with: { data_id: '$.dataid' } } }),
      [
        "stages.child.each.1: 'places' is named twice",
        "stages.child.with.data_id: rows of stage places (mapsSearch) have no 'dataid'; did you mean 'data_id'?",
        "stages.child.with.data_id: rows of stage two (mapsSearch) have no 'dataid'; did you mean 'data_id'?",
      ],
    ],
    [
      'a list that is an object',
      child({ rows: 'locationDetails' }),
      "stages.child.rows: locationDetails of mapsReviews isn't a list; there are topics, reviews_results",
    ],
    [
      'a column name with a dot',
      child({ keep: { 'a.b': '$.title' } }),
      "stages.child.keep.a.b: 'a.b' can't be a column's name: it has no dots and no brackets",
    ],
    [
      'a kept column that the row has itself',
      child({ keep: { rating: '$.rating' } }),
      "stages.child.keep.rating: rows of mapsReviews have a 'rating' of their own: give the column another name",
    ],
    [
      'further pages without what they need',
      stages({ places: { ...places, pages: 2 } }),
      'stages.places.with: pages after the first of mapsSearch need ll: give it, or leave out pages',
    ],
    [
      'a file that Windows can not have',
      stages({ a: { ...places, to: 'out/aux.csv' } }),
      "stages.a.to: 'out/aux.csv' can't be a file on every system: 'aux' is a device on Windows",
    ],
    [
      'two stages to one file',
      stages({ a: { ...places, to: 'p.csv' }, b: { ...places, to: './P.csv' } }),
      "stages.b.to: './P.csv' is written by stage a already: two stages can't share a file, unless it is a database",
    ],
    [
      'two stages to one table',
      stages({ a: { ...places, to: 'postgres:same' }, b: { ...places, to: 'postgres:public.same' } }),
      "stages.b.to: 'postgres:public.same' is written by stage a already, as 'postgres:same'. If they are two tables, write the schema of both",
    ],
    ['a table twice', child({ to: ['postgres:a.b', 'postgres:a.b'] }), "stages.child.to.1: 'postgres:a.b' is named twice"],
    ['a file twice', child({ to: ['a.csv', 'a.csv'] }), "stages.child.to.1: 'a.csv' is named twice"],
    [
      'an unknown ending',
      child({ to: 'a.xlsx' }),
      "stages.child.to: the ending of 'a.xlsx' names no format: use .jsonl, .ndjson, .csv, .tsv (each also with .gz or .zst), .parquet, .duckdb, .sqlite",
    ],
    [
      'a way out',
      child({ to: 'a/../../b.csv' }),
      "stages.child.to: 'a/../../b.csv' leaves the folder with '..': files stay in the output folder",
    ],
    ['an absolute path', child({ to: '/b.csv' }), "stages.child.to: '/b.csv' is absolute: files stay in the output folder"],
    ['a NUL', child({ to: 'a\0.csv' }), 'stages.child.to: "a\\u0000.csv" contains a NUL character, which no path may'],
    ["the run's own file", child({ to: './failures.jsonl' }), "stages.child.to: './failures.jsonl' is a name that a run needs for itself"],
    ...[failuresFile, emptyFile, rejectedFile, reportFile, packageFile, `${changesFolder}/a.csv`].map((to): [string, object, string] => [
      `the run's own ${to}`,
      child({ to }),
      `stages.child.to: '${to}' is a name that a run needs for itself`,
    ]),
  ])('says what is wrong: %s', (_, definition, message) => {
    expect(faults(definition)).toEqual(typeof message === 'string' ? [message] : message);
  });

  it('reports faults of files', () => {
    const seeded = (each: string): object => stages({ a: { call: 'mapsSearch', each, with: { query: '$.q' } } });
    expect(faults(seeded('no.csv'))).toEqual([`stages.a.each: there is no file no.csv in ${folder}`]);
    expect(faults(seeded('rotten.jsonl'))[0]).toMatch(/^stages\.a\.each: rotten\.jsonl can't be read: /);
    expect(faults(child({ to: 'away/b.csv' }))).toEqual([
      `stages.child.to: away/b.csv: a symlink leads out; the file has to stay in ${join(folder, 'out')}`,
    ]);
  });

  it('reads seeds outside of its folder only where that is allowed by name, links followed', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'trawler-outside-'));
    const file = join(outside, 'cities.csv');
    await writeFile(file, 'q\nOslo\n');
    await symlink(file, join(folder, 'link.csv'));
    const seeded = (each: string): object => stages({ a: { call: 'mapsSearch', each, with: { query: '$.q' } } });
    for (const each of [file, `../${basename(outside)}/cities.csv`, 'link.csv']) {
      expect(faults(seeded(each))).toEqual([
        `stages.a.each: ${each} is outside of the flow's folder: allow it by name (allowRead, --allow-read ${file})`,
      ]);
      expect(checkFlow(seeded(each), { folder, allowRead: [outside] })).toEqual([]);
      expect(checkFlow(seeded(each), { folder, allowRead: [file] })).toEqual([]);
    }
    await rm(outside, { recursive: true });
  });

  it('keeps responses only in its folder, and where that is allowed by name, links followed', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'trawler-outside-'));
    await symlink(outside, join(folder, 'linked'));
    const stored = (store: unknown): object => ({ ...stages({ a: { ...places } }), store });
    expect(faults(stored('out/responses'))).toEqual([]);
    for (const [store, there] of [
      ['linked', outside],
      ['linked/deeper', join(outside, 'deeper')],
    ] as const) {
      const message = `${store} is outside of the flow's folder: allow it by name (allowRead, --allow-read ${there})`;
      expect(faults(stored(store))).toEqual([`store: ${message}`]);
      expect(faults(stored({ folder: store, mode: 'replay' }))).toEqual([`store.folder: ${message}`]);
      expect(checkFlow(stored(store), { folder, allowRead: [outside] })).toEqual([]);
    }
    await rm(join(folder, 'linked'));
    await rm(outside, { recursive: true });
  });

  it('reads any variable that the flow lists, and no other', () => {
    const used = {
      ...stages({ a: { call: 'mapsSearch', with: { query: '${env.MY_TOKEN}', ll: '@40.74,-73.98,14z' } } }),
      env: ['MY_TOKEN'],
    };
    expect(checkFlow(used, { folder, env: { MY_TOKEN: 'Oslo' } })).toEqual([]);
  });

  it('reads the text of a value once, in linear time', () => {
    const query = '${'.repeat(2_000_000); // in quadratic time it would take hours
    expect(faults(stages({ a: { call: 'mapsSearch', with: { query } } }))).toEqual([]);
  });

  it('takes __proto__ and constructor for names like any other', () => {
    expect(faults(JSON.parse('{"name":"x","stages":{"a":{"call":"constructor"},"b":{"call":"__proto__"}}}'))).toHaveLength(2);
    expect(
      faults(JSON.parse('{"name":"x","stages":{"a":{"call":"mapsPosts","each":"constructor","with":{"data_id":"$.__proto__"}}}}')),
    ).toHaveLength(1);
  });
});

describe('loadFlow', () => {
  it('lists every fault of a JSON file, each with its line and column', async () => {
    const path = join(folder, 'bad.json');
    await writeFile(
      path,
      `{
  "name": "coffee",
  "stages": {
    "places": { "call": "mapsSearch", "with": { "query": ["coffee", 3], "page": 7 }, "to": "places.txt" },
    "reviews": {
      "call": "mapsReviews",
      "each": "place",
      "with": { "data_id": "$.data_id" }
    }
  }
}`,
    );
    await expect(loadFlow(path)).rejects.toThrow(
      new FlowError(`flow coffee has 4 faults; no request was sent
  4:73 stages.places.with.page: page must be a multiple of 20, 0 or more, not 7
  4:69 stages.places.with.query.1: query must be a text that is not empty, not 3
  4:86 stages.places.to: the ending of 'places.txt' names no format: use .jsonl, .ndjson, .csv, .tsv (each also with .gz or .zst), .parquet, .duckdb, .sqlite
  7:7 stages.reviews.each: no stage is called 'place', and it isn't a .csv, .tsv or .jsonl file; did you mean 'places'?`),
    );
  });

  it.each(['../NAME/service.mjs', 'linked.mjs', 'away/NAME/service.mjs'])('runs no service outside of its folder: %s', async (named) => {
    const outside = await mkdtemp(join(tmpdir(), 'trawler-outside-'));
    await writeFile(join(outside, 'service.mjs'), 'globalThis.trawlerRanIt = true;\nexport default { operations: {} };\n');
    const links = { 'linked.mjs': join(outside, 'service.mjs'), away: tmpdir() };
    for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
    const service = named.replace('NAME', basename(outside));
    const path = join(folder, 'serviced.json');
    await writeFile(path, JSON.stringify({ name: 'x', service, stages: { a: { call: 'b' } } }));
    await expect(loadFlow(path)).rejects.toThrow(
      new FlowError(`the flow names the service ${service}, which is not in the flow's folder; allow it with --service`),
    );
    expect(globalThis).not.toHaveProperty('trawlerRanIt');
    for (const name of Object.keys(links)) await rm(join(folder, name));
    await rm(outside, { recursive: true });
  });

  it('says where a file is no JSON, and which file is not there', async () => {
    const path = join(folder, 'broken.json');
    await writeFile(path, '{\n  "name": "x",\n  "stages": { "a" }\n}');
    await expect(loadFlow(path)).rejects.toThrow(/broken\.json:3:\d+ isn't JSON/);
    await expect(loadFlow(join(folder, 'none.json'))).rejects.toThrow(/^there is no file .*none\.json$/);
  });

  it('takes the default export of a module', async () => {
    const path = join(folder, 'flow.mjs');
    await writeFile(path, `export default ${JSON.stringify(smallFlow)};`);
    await expect(loadFlow(path)).resolves.toMatchObject({ name: 'small', folder });
    await writeFile(join(folder, 'none.mjs'), 'export const flow = 1;');
    await expect(loadFlow(join(folder, 'none.mjs'))).rejects.toThrow(/has no default export/);
  });

  it('gives the same digest to flows with the same requests, and another to others', async () => {
    const digest = async (flow: object): Promise<string> => {
      const path = join(folder, 'digest.json');
      await writeFile(path, JSON.stringify(flow));
      return (await loadFlow(path)).digest;
    };
    const flow = { name: 'x', stages: { places } };
    const same = [
      await digest(flow),
      await digest({ ...flow, maxRequests: 5, $schema: 'y' }),
      await digest({ name: 'x', stages: { places: { ...places, pages: 1, onError: 'fail' } } }),
    ];
    expect(new Set(same).size).toBe(1);
    expect(await digest({ name: 'x', stages: { places: { ...places, limit: 2 } } })).not.toBe(same[0]);
  });
});
