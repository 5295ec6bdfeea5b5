import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { nodeFileSystem } from '../../../src/sinks/index.ts';
import { runCommand } from '../../../src/cli/runCommand.ts';
import { freePort } from '../../freePort.ts';
import { Kept, runInProcess } from '../runInProcess.ts';
import { more } from '../../sandbox/moreFaults/more.ts';

const flow = {
  name: 'coffee',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 1, to: 'places.csv' },
    reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 2, to: 'reviews.jsonl' },
  },
};

describe('trawler run', () => {
  let folder: string;
  let path: string;
  let out: string;
  const run = (...argv: readonly string[]): ReturnType<typeof runInProcess> => runInProcess(['run', path, '--out', out, ...argv]);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-run-'));
    path = join(folder, 'coffee.json');
    out = join(folder, 'out');
    await writeFile(path, JSON.stringify(flow));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('runs a flow on the embedded service, and says where its files are', async () => {
    const { code, stdout, stderr } = await run('--sandbox');
    expect([code, stdout]).toEqual([0, '']);
    const [, rows] = /places\.csv +([\d,]+) /.exec(stderr) ?? [];
    expect(Number(rows)).toBeGreaterThan(0);
    expect(stderr).toContain(join(out, 'datapackage.json'));
    expect((await readFile(join(out, 'reviews.jsonl'), 'utf8')).split('\n').length).toBeGreaterThan(10);
  });

  it('does nothing the second time, says so, and starts over with --fresh', async () => {
    await run('--sandbox', '--quiet');
    const again = await run('--sandbox');
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('finished earlier; no request was sent');
    expect(again.stderr).toContain(`Start over: trawler run ${path} --out ${out} --sandbox --fresh`);
    const fresh = await run('--sandbox', '--fresh');
    expect([fresh.code, fresh.stderr.includes('finished earlier')]).toEqual([0, false]);
  });

  it('takes the first queries with --first, exits with 0, and says how to run the rest', async () => {
    const places = { ...flow.stages.places, with: { ...flow.stages.places.with, query: ['coffee', 'tea'] }, limit: 3 };
    await writeFile(path, JSON.stringify({ ...flow, stages: { ...flow.stages, places } }));
    const first = await run('--sandbox', '--first', '1');
    expect([first.code, first.stderr.split(' after')[0]!.trim()]).toEqual([0, 'coffee: the first query done']);
    expect(first.stderr).toContain(
      `\nTheir rows are in the files that end in .part. Run the rest: trawler run ${path} --out ${out} --sandbox\n`,
    );
    expect((await readFile(join(out, 'reviews.jsonl.part'), 'utf8')).split('\n').length).toBeGreaterThan(3);
    const rest = await run('--sandbox');
    expect([rest.code, rest.stderr.includes('coffee: done after')]).toEqual([0, true]);
  });

  it('says that the sandbox goes back to an earlier day', async () => {
    await run('--sandbox', '--day', '4');
    const said = 'The sandbox goes back from day 4 to day 2';
    expect((await run('--sandbox', '--day', '5', '--update')).stderr).not.toContain('goes back');
    await run('--sandbox', '--day', '4', '--fresh');
    expect((await run('--sandbox', '--day', '2', '--update')).stderr).toContain(said);
    expect((await run('--sandbox', '--day', '2', '--update')).stderr).not.toContain('goes back');
  });

  it('says of rows that it does not compare only what is missing', async () => {
    const reviews = { call: 'placeReviews', each: 'places', rows: 'topics', to: 'topics.jsonl' };
    await writeFile(
      path,
      JSON.stringify({ ...flow, stages: { places: { ...flow.stages.places, by: 'data_id', limit: 6, to: 'places.jsonl' }, reviews } }),
    );
    await run('--sandbox');
    const { stderr } = await run('--sandbox', '--update');
    expect(stderr).toContain("reviews: its files are replaced, and not compared: that takes 'by', of fields that are written\n");
    expect(stderr).not.toContain('places: its files');
  });

  it('updates its files with --update, says what changed, and mentions an unfinished update', async () => {
    const reviews = { call: 'placeReviews', each: 'places', pages: 'all', since: { lookback: '7d' }, to: 'reviews.jsonl' };
    await writeFile(path, JSON.stringify({ ...flow, stages: { places: { ...flow.stages.places, by: 'data_id', limit: 6 }, reviews } }));
    const onDay = async (day: number, ...argv: string[]): Promise<Awaited<ReturnType<typeof run>>> => {
      await using service = await startSandbox({ day });
      return await runInProcess(['run', path, '--out', out, ...argv], {
        env: { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey },
      });
    };
    const first = await onDay(0);
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('coffee: done after')]);
    const half = await onDay(3, '--update', '--max-requests', '2');
    expect(half.code).toBe(130);
    expect(half.stderr).toMatch(/^places: its files are replaced, and not compared: that takes "seen": true or a .jsonl file\n/);
    expect(half.stderr).toContain(`Resume: trawler run ${path} --out ${out} --max-requests 2 --update\n`);
    const plain = await onDay(3);
    expect(plain.code).toBe(0);
    expect(plain.stderr).toMatch(/an update of \S+ isn't finished; it has \d pages? so far\. .*Finish it with --update\n/);
    expect(plain.stderr).toContain(`Finish the update: trawler run ${path} --out ${out} --update\n`);
    const whole = await onDay(3, '--update');
    expect(whole.code).toBe(0);
    const said = /^reviews: (\d+) new rows?.*, (\d+) changed, gone: not known, [^:]+: see (\S+reviews\.jsonl)$/m.exec(whole.stderr)!;
    const file = relative(out, said[3]!);
    expect((await readFile(said[3]!, 'utf8')).trim().split('\n')).toHaveLength(Number(said[1]) + Number(said[2]));
    expect(await readFile(join(out, 'report.html'), 'utf8')).toContain(`<a href="${file}">`);
    const same = await onDay(3, '--update');
    expect(same.stderr).toContain('reviews: no row is new or changed; gone: not known, only what is new was requested of reviews\n');
    expect(await readFile(join(out, 'report.html'), 'utf8')).not.toContain('<a href="changes');
  });

  it('exits with 3 if another run is under way, without a request', async () => {
    await using service = await startSandbox({ faults: [{ fault: 'stall', at: 'headers' }] });
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const stop = new AbortController();
    const first = runInProcess(['run', path, '--out', out], { env, signal: stop.signal });
    while (service.count() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await using idle = await startSandbox();
    const second = await runInProcess(['run', path, '--out', out, '--update'], { env: { ...env, TRAWLER_BASE_URL: idle.url } });
    expect([second.code, idle.count()]).toEqual([3, 0]);
    expect(second.stderr).toContain('another run is under way there');
    stop.abort('SIGINT');
    expect((await first).code).toBe(130);
  });

  it('stops at its budget with 130, says how to resume, and resumes', async () => {
    await using service = await startSandbox();
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const first = await runInProcess(['run', path, '--out', out, '--max-requests', '5'], { env });
    expect([first.code, service.count()]).toEqual([130, 5]);
    expect(first.stderr).toContain(`Resume: trawler run ${path} --out ${out} --max-requests 5\n`);
    const second = await runInProcess(['run', path, '--out', out], { env });
    expect(second.code).toBe(0);
    expect(service.count('mapsSearch')).toBe(1);
  });

  it('exits with 130 if its database is away, without a request, and does not repeat the address', async () => {
    const { places } = flow.stages;
    await writeFile(path, JSON.stringify({ name: 'coffee', stages: { places: { ...places, to: 'postgres:places' } } }));
    await using service = await startSandbox();
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const address = `postgresql://somebody:hush@127.0.0.1:${await freePort()}/secret`;
    for (const [argv, more] of [
      [['--postgres', address], {}],
      [[], { DATABASE_URL: address }],
    ] as const) {
      const { code, stderr, stdout } = await runInProcess(['run', path, '--out', out, ...argv], { env: { ...env, ...more } });
      expect([code, service.count()]).toEqual([130, 0]);
      expect(stderr).toContain('postgres:places: the database is away (ECONNREFUSED)');
      expect(stderr + stdout).not.toMatch(/hush|somebody|secret/);
    }
  });

  it('exits with 1 if something failed, and retries only that', async () => {
    await using service = await startSandbox({ faults: [{ fault: 'status', status: 404, operation: 'mapsReviews', nth: 3 }] });
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const first = await runInProcess(['run', path, '--out', out], { env });
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(/1 query failed\. Retry: trawler run .* --failures\n/);
    service.setFaults([]);
    service.reset();
    const second = await runInProcess(['run', path, '--out', out, '--failures'], { env });
    expect([second.code, service.count('mapsSearch')]).toEqual([0, 0]);
    expect(service.count()).toBeLessThanOrEqual(2);
  });

  it('exits with 1 if rows miss an expectation, and says which', async () => {
    const places = { ...flow.stages.places, expect: { rows: { '>=': 100_000 } } };
    await writeFile(path, JSON.stringify({ ...flow, stages: { places } }));
    const { code, stderr } = await run('--sandbox');
    expect(code).toBe(1);
    expect(stderr).toMatch(/coffee: done, but doubtful, after .*\n/);
    expect(stderr).toMatch(/places: \d+ rows, and at least 100000 are expected\./);
    expect(existsSync(join(out, 'places.csv'))).toBe(true);
    await writeFile(path, JSON.stringify({ ...flow, stages: { places: { ...places, expect: { rows: { '>=': 1 } } } } }));
    expect((await run('--sandbox', '--fresh')).code).toBe(0);
  });

  it('exits with 1 if a query is short, and the report says how many are', async () => {
    const reviews = { call: 'placeReviews', each: 'places', pages: 'all', to: 'reviews.jsonl' };
    await writeFile(path, JSON.stringify({ ...flow, stages: { places: flow.stages.places, reviews } }));
    await using service = await startSandbox({ faults: [more({ fault: 'token', operation: 'mapsReviews', share: 0.5 })] });
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const { code, stderr } = await runInProcess(['run', path, '--out', out], { env });
    const [, short] = /reviews: (\d+) of \d+ queries are short: [\d,]+ of [\d,]+ rows\./.exec(stderr) ?? [];
    expect([code, Number(short) > 0]).toEqual([1, true]);
    const report = await readFile(join(out, 'report.html'), 'utf8');
    const row = report.split('<tr>').find((one) => one.startsWith('<th scope="row">reviews'));
    expect(row).toContain(`data-head="short">${short}</td>`);
    expect((await readFile(join(out, 'failures.jsonl'), 'utf8')).match(/"short":/g)).toHaveLength(Number(short));
  });

  it('says once that the disk is full, and resumes when there is room', async () => {
    const open = nodeFileSystem.open.bind(nodeFileSystem);
    const full = vi.spyOn(nodeFileSystem, 'open').mockImplementation((path, ...how) => {
      const file = open(path, ...how);
      if (!path.includes('reviews.jsonl')) return file;
      const fails = (): never => {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      };
      return { ...file, write: async () => fails(), writeSync: fails };
    });
    const stopped = await run('--sandbox', '--quiet').finally(() => full.mockRestore());
    const part = join(out, 'reviews.jsonl.part');
    const why = `${part}: writing failed: the disk is full (ENOSPC). Resume once there is room:`;
    expect(stopped).toMatchObject({ code: 1, stderr: `trawler: ${why} trawler run ${path} --out ${out} --sandbox --quiet\n` });
    expect(await run('--sandbox', '--quiet')).toMatchObject({ code: 0, stderr: '' });
  });

  it('prints only the failure with --quiet', async () => {
    await using service = await startSandbox({ faults: [{ fault: 'status', status: 404, operation: 'mapsReviews', nth: 3 }] });
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const failed = await runInProcess(['run', path, '--out', out, '--quiet'], { env });
    expect(failed.stderr).toMatch(/^coffee: done, 1 query failed, after .*\n1 query failed\. Retry: trawler run .*--quiet --failures\n/);
    expect((await run('--sandbox', '--quiet', '--fresh', '--metrics', '127.0.0.1:0')).stderr).toBe('');
  });

  it('exits with 0 when the reader of its progress has gone, as tools do', async () => {
    const stop = new AbortController();
    const [stdout, stderr] = [new Kept(), new Kept()];
    stdout.write = () => {
      stop.abort('EPIPE');
      return false;
    };
    const io = { stdin: Readable.from([]), stdout, stderr, env: {}, signal: stop.signal };
    expect([await runCommand(['run', path, '--out', out, '--sandbox', '--json'], io), stderr.text]).toEqual([0, '']);
    expect(existsSync(join(out, 'datapackage.json'))).toBe(false); // the run has stopped
  });

  it('does not offer to retry what the service refuses as it is', async () => {
    await using service = await startSandbox({ faults: [{ fault: 'status', status: 400, operation: 'mapsReviews', nth: 3 }] });
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const { stderr } = await runInProcess(['run', path, '--out', out], { env });
    expect(stderr).toContain('\n1 query failed, because it is refused as it is: see failures.jsonl.\n');
    expect(stderr).not.toContain('--failures');
  });

  it('suggests the file that is nearest in name', async () => {
    const { code, stderr } = await runInProcess(['run', join(folder, 'cofee.json')]);
    expect([code, stderr]).toEqual([2, `trawler: There is no file ${join(folder, 'cofee.json')}.\n  Did you mean ${path}?\n`]);
  });

  it('says that a folder is no flow, and which files in it may be', async () => {
    await writeFile(join(folder, 'package.json'), '{}');
    const { code, stderr } = await runInProcess(['run', folder]);
    expect([code, stderr]).toEqual([2, `trawler: ${folder} is a folder. trawler run needs the file of a flow.\n  In it: ${path}\n`]);
    await rm(path);
    expect((await runInProcess(['plan', folder])).stderr).toBe(
      `trawler: ${folder} is a folder. trawler plan needs the file of a flow.\n  'trawler init' writes a flow to start from.\n`,
    );
  });

  it('leaves no file where there is no run whose failures could be retried', async () => {
    const { code, stderr } = await run('--sandbox', '--failures');
    expect([code, stderr]).toEqual([2, `trawler: ${out}: there is no run whose failures could be retried\n`]);
    expect(existsSync(out)).toBe(false);
  });

  it('prints progress as JSONL, the summary last', async () => {
    const { code, stdout, stderr } = await run('--sandbox', '--json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string; readonly outcome?: string });
    expect([code, stderr]).toEqual([0, '']);
    expect([lines[0]?.type, lines.at(-1)?.type]).toEqual(['start', 'summary']);
  });

  it.each([
    [{ ...flow, stages: { places: { ...flow.stages.places, call: 'mapSearch' } } }, 'mapsSearch'],
    [{ ...flow, stages: { ...flow.stages, reviews: { ...flow.stages.reviews, each: 'placs' } } }, 'places'],
  ])('refuses a flow that is wrong before any request, naming the nearest right name', async (wrong, nearest) => {
    await writeFile(path, JSON.stringify(wrong));
    const { code, stderr } = await run('--sandbox');
    expect(code).toBe(2);
    expect(stderr).toContain(nearest);
    expect(existsSync(out)).toBe(false);
  });

  it.each([
    [[], 'trawler run needs a flow'],
    [['a.json', 'b.json'], "takes one flow, not also 'b.json'"],
    [['a.json', '--fresh', '--failures'], 'Use one of them'],
    [['a.json', '--update', '--failures'], 'Use one of them'],
    [['a.json', '--ot', 'x'], 'Did you mean --out?'],
    [['a.json', '--max-requests', '0'], '--max-requests is a whole number from 1'],
    [['/nowhere/a.json'], '/nowhere/a.json'],
    [['a.json', '--api-key', 'canary'], 'TRAWLER_API_KEY'],
  ] as const)('refuses %j', async (argv, message) => {
    const { code, stderr } = await runInProcess(['run', ...argv.map((arg) => (arg === 'a.json' ? path : arg))]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('canary');
  });
});

describe('trawler plan', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-plan-'));
    path = join(folder, 'coffee.json');
    await writeFile(path, JSON.stringify(flow));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('draws the stages as a tree with their requests, and says why', async () => {
    const { code, stdout, stderr } = await runInProcess(['plan', path]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^coffee\n\nSTAGE +OPERATION +QUERIES +REQUESTS +ROWS\nplaces +mapsSearch +1 +1 +0 to 20\n {2}reviews +mapsReviews +0 to 20 +0 to 40 /,
    );
    expect(stdout).toMatch(/\ntotal +1 to 41\n\nWhy\n {2}places: /);
    expect(stdout).toContain('No request was sent to make this plan.');
  });

  it('exits with 2 where a table that it writes to has no place, as nothing was requested', async () => {
    await writeFile(path, JSON.stringify({ ...flow, stages: { places: { ...flow.stages.places, to: 'postgres:places' } } }));
    const { code, stderr } = await runInProcess(['plan', path, '--postgres', 'postgres://somebody@127.0.0.1:1/none']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('trawler: postgres:')]);
  });

  it('prices it', async () => {
    const { stdout } = await runInProcess(['plan', path, '--price', '0.5']);
    expect(stdout).toMatch(/PRICE\n/);
    expect(stdout).toMatch(/total .* 0\.50 to 20\.50/);
  });

  it('keeps the digits of the price', async () => {
    const { stdout } = await runInProcess(['plan', path, '--price', '0.0015']);
    expect(stdout).toMatch(/total .* 0\.0015 to 0\.0615/);
  });

  it('is a flowchart, JSON, or a drawing when asked', async () => {
    expect((await runInProcess(['plan', path, '--mermaid'])).stdout).toMatch(/^(flowchart|graph) /);
    const made = JSON.parse((await runInProcess(['plan', path, '--json'])).stdout) as { readonly requests: object };
    expect(made.requests).toEqual({ atLeast: 1, atMost: 41 });
    const svg = join(folder, 'coffee.svg');
    const drawn = await runInProcess(['plan', path, '--svg', svg]);
    expect([drawn.code, drawn.stderr]).toEqual([0, `Wrote the drawing to ${svg}.\n`]);
    expect(await readFile(svg, 'utf8')).toMatch(/^<svg /);
  });

  it('refuses options that make no sense', async () => {
    for (const argv of [
      ['--price', 'dear'],
      ['--sample', '3'],
      ['--mermaid', '--json'],
    ]) {
      expect((await runInProcess(['plan', path, ...argv])).code).toBe(2);
    }
  });
});
