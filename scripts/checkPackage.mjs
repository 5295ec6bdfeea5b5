// Packs the package and asks publint and attw whether others can use it. Then installs it into empty folders and uses every door, with each
// RxJS and each TypeScript that the guide names.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.mjs';
import { pack, rxjsVersions, useDoors } from './useDoors.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'trawler-package-'));
const run = (command, args, cwd = root) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const check = (file, args) => process.stdout.write(run(process.execPath, [join(root, 'node_modules', file), ...args]));

try {
  run(...npm('run', 'build', '--silent'));
  const tarball = pack(folder);
  check('publint/src/cli.js', ['--strict', tarball]);
  check('@arethetypeswrong/cli/dist/index.js', ['--profile', 'esm-only', tarball]);

  for (const rxjs of rxjsVersions) console.log(useDoors(tarball, folder, rxjs));

  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run(...npm('install', '--silent', tarball, 'rxjs@7'), folder);
  writeFileSync(
    join(folder, 'use.mjs'),
    `const { lastValueFrom, of } = await import('rxjs');
const { searchService } = await import('trawler');
const { items, offsetPages } = await import('trawler/operators');
const { toSink } = await import('trawler/sinks');
const { fakeClient } = await import('trawler/testing');
const { client } = fakeClient(searchService, ({ query }) => ({ search_results: query.page ? [] : [{ title: 'Cafe', data_id: 'a' }] }));
const list = [];
const own = toSink(() => ({ write: (rows) => list.push(...rows), finish: () => list.length + ' row' }));
console.log('own sink'.padEnd(18), await lastValueFrom(of({ query: 'coffee', ll: '@40.7,-74,14z' }).pipe(offsetPages(client.mapsSearch), items(), own)));
await client.close();
try {
  await import('trawler/bullmq');
  console.log('trawler/bullmq opened without bullmq');
} catch (error) {
  console.log(String(error.message).split('\\n')[0]);
}
`,
  );
  process.stdout.write(run(process.execPath, ['use.mjs'], folder));
  process.stdout.write(run(...npm('exec', '--', 'trawler', '--version'), folder));
  run(...npm('exec', '--', 'trawler', 'init', 'first', '--call', 'mapsSearch', '--query', 'coffee'), folder);
  run(...npm('exec', '--', 'trawler', 'init', 'ranks', '--like', 'ranks'), folder);

  writeFileSync(
    join(folder, 'use.mts'),
    `import { of } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages } from 'trawler/operators';
import { defineFlow } from 'trawler/flow';
import { toCsv, toSink } from 'trawler/sinks';
import { startSandbox } from 'trawler/sandbox';
import { fakeClient } from 'trawler/testing';
import { openStore } from 'trawler/store';
export const doors = [startSandbox, fakeClient, openStore];
const client = createClient();
client.mapsSearch({ query: 'coffee' }).subscribe(({ items: [first] }) => console.log(first?.title.length));
of({ query: 'coffee' }).pipe(offsetPages(client.mapsSearch), items(), toCsv('x.csv'));
export const toList = (list: unknown[]) => toSink(() => ({ write: (rows) => list.push(...rows), finish: () => list.length }));
export const flow = defineFlow({ name: 'x', stages: { places: { call: 'mapsSearch', with: { query: 'coffee' }, to: 'x.csv' } } });
// @ts-expect-error there is no such parameter
client.mapsSearch({ qery: 'coffee' });
`,
  );
  const use = readFileSync(join(folder, 'use.mts'), 'utf8');
  for (const name of ['use.ts', 'use.cts']) writeFileSync(join(folder, name), use);
  const flags = '--noEmit --strict --skipLibCheck false --target es2022 --lib es2022,esnext.disposable --types node'.split(' ');
  const ways = [
    ['esnext', 'bundler', 'use.ts'],
    ['node16', 'node16', 'use.mts', 'use.cts'],
    ['nodenext', 'nodenext', 'use.mts', 'use.cts'],
  ];
  // The oldest TypeScript that the guide names, the last before typed arrays were generic, and the newest.
  for (const version of ['5.4', '5.6', 'latest']) {
    run(...npm('install', '--silent', `typescript@${version}`, '@types/node@20'), folder);
    const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
    for (const [module, resolution, ...files] of ways)
      run(process.execPath, [tsc, ...flags, '--module', module, '--moduleResolution', resolution, ...files], folder);
    process.stdout.write(`types work with TypeScript ${run(process.execPath, [tsc, '--version'], folder).replace('Version ', '')}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
