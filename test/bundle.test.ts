import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { packagesOf } from '../bench/start/packagesOf.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly bin: { readonly trawler: string };
  readonly exports: { readonly [door: string]: { readonly types: string; readonly default: string } };
};
const compiled = (path: string): string => join(inject('dist'), path.replace(/^(\.\/)?dist\//, ''));
const doors = Object.keys(packagesOf).map((name) => [name, manifest.exports[name.replace('trawler', '.')]!] as const);
const open = async (path: string): Promise<Record<string, unknown>> =>
  (await import(pathToFileURL(compiled(path)).href)) as Record<string, unknown>;

/** What a file imports at once, which is all but `import()`. */
function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?:[^'";]* from )?"([^"]+)";$/gm)].map((match) => match[1]!);
}

/** The files that open with one, itself included, and the packages and modules of Node that they import. */
function opensWith(file: string): {
  readonly files: ReadonlySet<string>;
  readonly packages: readonly string[];
  readonly builtin: readonly string[];
} {
  const files = new Set([file]);
  const packages = new Set<string>();
  const builtin = new Set<string>();
  for (const at of files) {
    for (const name of importsOf(at)) {
      if (name.startsWith('.')) files.add(join(dirname(at), name));
      else if (name.startsWith('node:')) builtin.add(name);
      else packages.add(name.replace(/^([^@][^/]*|@[^/]*\/[^/]*)\/.*/, '$1'));
    }
  }
  return { files, packages: [...packages].toSorted(), builtin: [...builtin] };
}

describe('the bundle', () => {
  it('has every door of the package', () => {
    const named = Object.keys(manifest.exports).filter((door) => !door.endsWith('.json'));
    expect(Object.keys(packagesOf)).toEqual(named.map((door) => door.replace('.', 'trawler')));
  });

  it.each(doors)('imports the packages that %s needs, and no other', (name, door) => {
    expect(opensWith(compiled(door.default)).packages).toEqual(packagesOf[name]!.toSorted());
  });

  it('imports no file inside of rxjs, which the next version may move', () => {
    const files = readdirSync(compiled('bundle'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    const inside = files.flatMap((name) => importsOf(compiled(join('bundle', name))).filter((from) => from.startsWith('rxjs/')));
    expect(inside).toEqual([]);
  });

  // An import of one of these loads all that it can lead to, such as streams. `process.getBuiltinModule` doesn't.
  const large = ['crypto', 'fs', 'fs/promises', 'module', 'os', 'perf_hooks', 'stream', 'timers/promises', 'util'];
  it.each(doors.filter(([name]) => !/sandbox|store|bullmq|proxy/.test(name)))('imports no large module of Node for %s', (_, door) => {
    const { builtin } = opensWith(compiled(door.default));
    expect(large.filter((name) => builtin.includes(`node:${name}`))).toEqual([]);
  });

  it('opens the command line without any package', () => {
    expect(opensWith(compiled(manifest.bin.trawler)).packages).toEqual([]);
  });

  it.each([...doors.map(([, door]) => door.default), manifest.bin.trawler])('opens few files for %s', (path) => {
    expect(opensWith(compiled(path)).files.size).toBeLessThanOrEqual(30);
  });

  it('prints help without making a segmenter of texts', () => {
    const none = 'data:text/javascript,Intl.Segmenter = undefined';
    const said = execFileSync(process.execPath, ['--import', none, compiled(manifest.bin.trawler), 'run', '--help'], { encoding: 'utf8' });
    expect(said).toContain('--sandbox');
  });

  it('has no files that import each other in a circle', () => {
    const files = readdirSync(compiled('bundle'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    expect(files.length).toBeGreaterThan(10);
    const inCircle = files
      .map((name) => compiled(join('bundle', name)))
      .filter((file) => importsOf(file).some((name) => name.startsWith('.') && opensWith(join(dirname(file), name)).files.has(file)));
    expect(inCircle.map((file) => relative(inject('dist'), file))).toEqual([]);
  });

  it.each(doors)('exports from %s what its source exports', async (_, door) => {
    const source = await open(door.types.replace(/\.d\.ts$/, '.js'));
    expect(Object.keys(await open(door.default)).toSorted()).toEqual(Object.keys(source).toSorted());
  });

  it('has each class once, whichever door it comes from', async () => {
    const { TrawlerError, FlowError } = (await open(manifest.exports['.']!.default)) as typeof import('../src/index.ts');
    const { loadFlow } = (await open(manifest.exports['./flow']!.default)) as typeof import('../src/flow/index.ts');
    const fault: unknown = await loadFlow('missing.json').catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(FlowError);
    expect(fault).toBeInstanceOf(TrawlerError);
  });

  it('has source maps that name the sources in the repository', () => {
    const maps = readdirSync(compiled('bundle'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.map'));
    const sources = maps.flatMap((name) => {
      const path = compiled(join('bundle', name));
      const map = JSON.parse(readFileSync(path, 'utf8')) as { readonly sources: readonly string[] };
      return map.sources.map((source) => relative(dirname(inject('dist')), join(dirname(path), source)));
    });
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.filter((source) => !/^(src|operators)\/.*\.ts$/.test(source))).toEqual([]);
    expect(sources.filter((source) => readFileSync(join(root, source), 'utf8') === '')).toEqual([]);
  });
});
