import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';

const root = new URL('..', import.meta.url);
const { exports, devDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const doors = Object.keys(exports)
  .filter((door) => !door.endsWith('.json'))
  .map((door) => door.replace('.', 'trawler'));
/** The versions of RxJS that the guide names. */
export const rxjsVersions = ['7.5.0', '7.8', '8.0.0-alpha.14'];

/** The size limit of the packed package. */
const maxBytes = 1_600_000;

/** Packs the package into a folder, and gives the path of the file. `npm run build` comes before. */
export function pack(folder) {
  const [program, args] = npm('pack', '--json', '--pack-destination', folder);
  const [{ filename, size }] = JSON.parse(
    execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  if (size > maxBytes) throw new Error(`the package has ${size} bytes, more than ${maxBytes}`);
  return join(folder, filename);
}

/** Installs the packed package beside one version of RxJS, opens every door by `import` and by `require`, and runs a pipe through them. */
export function useDoors(tarball, folder, rxjs) {
  const cwd = join(folder, `rxjs-${rxjs}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{"private":true}');
  const others = ['bullmq', 'ioredis'].map((name) => `${name}@${devDependencies[name]}`);
  const run = (program, args) => execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  run(...npm('install', '--silent', '--prefer-offline', tarball, `rxjs@${rxjs}`, ...others));
  const used = ['use.mjs', 'use.cjs'].map((name) => {
    writeFileSync(join(cwd, name), name === 'use.mjs' ? `const open = (name) => import(name);\n${use}` : `const open = require;\n${use}`);
    return run(process.execPath, [name]).trim();
  });
  return `rxjs ${rxjs}: ${used.join(', ')}`;
}

const use = `
const run = async () => {
  const opened = [];
  for (const door of ${JSON.stringify(doors)}) opened.push(Object.keys(await open(door)).length);
  const { Observable, lastValueFrom, of } = await open('rxjs');
  const { createClient } = await open('trawler');
  const { items, offsetPages } = await open('trawler/operators');
  const { toSink } = await open('trawler/sinks');
  const { startSandbox } = await open('trawler/sandbox');
  const sandbox = await startSandbox({ port: 0 });
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  let rows = 0;
  const counted = toSink(() => ({ write: (some) => (rows += some.length), finish: () => rows }));
  const pages = of({ query: 'coffee', ll: '@40.7,-74,14z' }).pipe(offsetPages(client.mapsSearch, { maxPages: 2 }));
  if (!(pages instanceof Observable)) throw new Error('another RxJS is used');
  if ((await lastValueFrom(pages.pipe(items(), counted))) === 0) throw new Error('the pipe gave no rows');
  await client.close();
  await sandbox.close();
  console.log(opened.length + ' doors, ' + rows + ' rows');
};
run();
`;
