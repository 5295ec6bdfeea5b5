import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What each room may import: other rooms, single files, and packages. The front door and the doors' own folder come by themselves. */
const rooms: Record<string, { readonly rooms: readonly string[]; readonly packages: readonly string[] }> = {
  operators: { rooms: [], packages: ['rxjs', '@turf/bbox-clip', '@turf/boolean-point-in-polygon'] },
  'src/errors': { rooms: [], packages: [] },
  'src/contract': { rooms: ['operators'], packages: [] },
  'src/services': { rooms: ['src/contract', 'src/search', 'operators'], packages: [] },
  'src/fanouts': { rooms: ['operators', 'src/contract', 'src/errors'], packages: ['rxjs'] },
  'src/search': { rooms: ['src/contract', 'src/fanouts', 'operators'], packages: ['rxjs'] },
  'src/ledger': {
    rooms: ['operators', 'src/contract', 'src/errors', 'src/files', 'src/sinks/postgres/PostgresConnection.ts'],
    packages: [],
  },
  'src/client': {
    rooms: ['operators', 'src/contract', 'src/errors', 'src/files', 'src/ledger'],
    packages: ['rxjs', 'undici', 'fast-xml-parser'],
  },
  'src/files': { rooms: ['src/errors'], packages: [] },
  'src/sinks': {
    rooms: ['operators', 'src/contract', 'src/errors', 'src/files'],
    packages: ['rxjs', 'hyparquet-writer', '@duckdb/node-api', 'node-sqlite3-wasm'],
  },
  'src/store': { rooms: ['operators', 'src/contract', 'src/errors', 'src/files'], packages: [] },
  'src/flow': {
    rooms: [
      'operators',
      'src/contract',
      'src/defaultService.ts',
      'src/services',
      'src/fanouts',
      'src/errors',
      'src/client',
      'src/files',
      'src/sinks',
      'src/store',
    ],
    packages: ['rxjs', 'zod', 'fast-csv'],
  },
  'src/bullmq': {
    rooms: ['src/contract', 'src/flow', 'src/client', 'src/errors', 'src/sinks', 'operators'],
    packages: ['rxjs', 'bullmq'],
  },
  'src/publish': { rooms: ['operators', 'src/errors', 'src/files'], packages: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'] },
  'src/sandbox': { rooms: ['operators', 'src/contract', 'src/search'], packages: [] },
  'src/testing': { rooms: ['operators', 'src/contract', 'src/errors', 'src/client', 'src/files'], packages: ['rxjs'] },
  'src/proxy': {
    rooms: ['operators', 'src/contract', 'src/errors', 'src/client', 'src/files', 'src/ledger'],
    packages: ['undici', 'rxjs'],
  },
  'src/show': {
    rooms: ['src', 'operators', 'src/contract', 'src/errors', 'src/files', 'src/sinks', 'src/flow'],
    packages: ['rxjs', '@duckdb/node-api'],
  },
  'src/show/page': { rooms: ['operators', 'src/show', 'src/flow', 'src/errors'], packages: [] },
  'src/cli': {
    rooms: [
      'src/show',
      'src',
      'operators',
      'src/contract',
      'src/search',
      'src/services',
      'src/sinks',
      'src/flow',
      'src/store',
      'src/bullmq',
      'src/publish',
      'src/ledger',
      'src/sandbox',
      'src/proxy',
      'src/errors',
    ],
    packages: ['rxjs', 'zod', '@modelcontextprotocol/server'],
  },
  src: { rooms: ['src/fanouts', 'src/client', 'src/errors', 'src/contract', 'src/search', 'operators'], packages: [] },
};

/** Who works with any service: all but the sandbox, the command and the doors. None of them imports the built-in one. */
const anyService =
  /^(operators|src\/(errors|contract|fanouts|client|files|sinks|store|flow|bullmq|publish|proxy|show|testing|createClient\.ts))\b/;

/** Who may import `node:fs`: files, or rooms that end in a slash, and why. Everybody else reaches the disk through a FileSystem. */
const disk: Readonly<Record<string, string>> = {
  'src/contract/defineService.ts': 'a description is a file, as a module is',
  'src/files/nodeFileSystem.ts': 'it is the disk',
  'src/files/nodeProcess.ts': '/proc tells which process this is',
  'src/sinks/tellAtExit.ts': 'writes to stderr while the process ends',
  'src/client/ClientCore.ts': 'writes to stderr while the process ends',
  'src/cli/': 'it starts without loading the other rooms, and writes files of its own: a flow to start from, a drawing',
};

/** Who may name the machine's own disk: where it is the default of an option. What is below gets it from there. */
const defaultDisk: readonly string[] = [
  'src/sinks/index.ts',
  'src/sinks/reservePath.ts',
  'src/store/',
  'src/publish/',
  'src/ledger/openLedger.ts',
  'src/client/options/clientOptions.ts',
  'src/flow/check/CheckFlowOptions.ts',
  'src/show/', // shows a folder of this machine, and changes nothing there
  'src/cli/',
];

const files = ['operators', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

/** The pages of rooms. */
const roomPages = ['operators', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)README\.md$/.test(file))
    .map((file) => join(folder, file)),
);

/** The files that a page names, and that aren't there. A name is a path from the page's folder, or from the root. */
function missingFiles(page: string, text: string): readonly string[] {
  const names = [...text.matchAll(/(?<![\w./>-])[\w./-]*\w\.(?:ts|mjs|md|json)\b/g)].map(([name]) => name);
  return [...new Set(names)].filter((name) => !existsSync(join(root, dirname(page), name)) && !existsSync(join(root, name)));
}

/** The texts of a file, or of the files in a folder. */
function textsOf(start: string): readonly string[] {
  return files.filter((file) => file.startsWith(start)).map((file) => readFileSync(join(root, file), 'utf8'));
}

function roomOf(file: string): string | undefined {
  const inside = dirname(file);
  return Object.keys(rooms)
    .sort((a, b) => b.length - a.length)
    .find((room) => inside === room || inside.startsWith(`${room}/`));
}

/** Every module that a file names: `import`, `import type`, `export … from`, `import()`, also as a type. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g)].map((match) => match[2]!);
}

/** The wrong imports of a file, as sentences. */
function wrongImports(file: string, text: string): string[] {
  const room = roomOf(file) ?? '';
  const allowed = rooms[room] ?? { rooms: [], packages: [] };
  const wrong: string[] = [];
  for (const name of importsOf(text)) {
    if (name.startsWith('node:')) {
      if (room === 'operators' || room === 'src/errors') wrong.push(`${file} imports ${name}; ${room} imports nothing of Node`);
      continue;
    }
    if (!name.startsWith('.')) {
      const packageName = name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
      if (!allowed.packages.includes(packageName))
        wrong.push(`${file} imports the package ${name}; ${room} may import ${allowed.packages.join(', ') || 'none'}`);
      continue;
    }
    const target = relative(root, resolve(root, dirname(file), name));
    const targetRoom = roomOf(target);
    if (targetRoom === undefined) wrong.push(`${file} imports ${target}, which is in no room`);
    else if (targetRoom !== room && !allowed.rooms.includes(targetRoom) && !allowed.rooms.includes(target))
      wrong.push(`${file} imports ${target}; ${room} may import ${allowed.rooms.join(', ') || 'no other room'}`);
    else if (room === 'src/cli' && targetRoom !== room && !/^operators\/kit\/|index\.ts$/.test(target))
      wrong.push(`${file} imports ${target}; the command line imports doors (index.ts) and operators/kit`);
  }
  return wrong;
}

/** What a file exports by declaring it; an overload counts once. */
function declaredIn(text: string): ReadonlySet<string> {
  const code = text.replace(/\/\*[^]*?\*\//g, '');
  const declared = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;
  return new Set([...code.matchAll(declared)].map((match) => match[1]!));
}

/** What a file imports of `dist`, and no source declares. */
function missingInDist(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^import \{([^}]+)\} from '(?:\.\.\/)+dist\/((?:src|operators)\/[^']+)\.js';/gm)].flatMap(([, names, path]) => {
    const source = join(root, `${path}.ts`);
    const code = existsSync(source) ? readFileSync(source, 'utf8') : '';
    const imported = names!.split(',').map((name) => name.trim().split(' ')[0]!);
    return imported
      .filter((name) => name !== '' && !new RegExp(`^export .*\\b${name}\\b|^  (?:type )?${name},$`, 'm').test(code))
      .map((name) => `${file} imports ${name} of ${path}`);
  });
}

/** The ways from a file back to itself, each once. */
function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}

describe('rooms', () => {
  it('import only what they may', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(files.flatMap((file) => wrongImports(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it.each([
    ["import type { Page } from '../src/client/Client.ts';", 'operators imports a type of src'],
    ["export type X = import('../src/client/Client.ts').Page;", 'operators imports a type inline'],
    ["export { x } from '../src/errors/index.ts';", 'operators exports what src has'],
    ["import { request } from 'undici';", 'operators imports a package'],
    ["import fs from 'node:fs';", 'operators imports a part of Node'],
  ])('refuse %s (%s), by the name of the file', (text) => {
    expect(wrongImports('operators/wrong.ts', text)).toEqual([expect.stringMatching(/^operators\/wrong\.ts imports/)]);
  });

  it('have no import cycle, types included', () => {
    const imports = new Map(
      files.map((file) => [
        file,
        importsOf(readFileSync(join(root, file), 'utf8'))
          .filter((name) => name.startsWith('.'))
          .map((name) => relative(root, resolve(root, dirname(file), name))),
      ]),
    );
    expect(cyclesIn(imports)).toEqual([]);
    expect(
      cyclesIn(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['a']],
          ['d', ['a']],
        ]),
      ),
    ).toEqual(['a → b → c → a']);
  });

  it.each(roomPages)('%s names files that exist, in at most 60 lines', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    expect(missingFiles(page, text)).toEqual([]);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('have pages, whose names are found', () => {
    expect(roomPages.length).toBeGreaterThan(1);
    expect(missingFiles('operators/walk/README.md', '`Walk.ts`, `paging/none.ts`, `src/index.ts` and `<name>Paging.ts`')).toEqual([
      'paging/none.ts',
    ]);
  });

  it('have what benchmarks and scripts import from the compiled files', () => {
    const benches = readdirSync(join(root, 'bench')).filter((folder) => folder !== 'node_modules' && !folder.includes('.'));
    const wrong = ['scripts', ...benches.map((folder) => join('bench', folder))].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.mjs'))
        .flatMap((file) => missingInDist(join(folder, file))),
    );
    expect(wrong).toEqual([]);
  });

  it('work with any service: none imports the built-in one', () => {
    const named = files.filter(
      (file) => anyService.test(file) && importsOf(readFileSync(join(root, file), 'utf8')).some((name) => /(^|\/)search\//.test(name)),
    );
    expect(named).toEqual([]);
  });

  it('reach the disk in one place', () => {
    const reaches = files.filter((file) =>
      /(\bfrom |\bgetBuiltinModule\(|\bimport\()'node:fs\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(reaches.filter((file) => !Object.keys(disk).some((one) => file.startsWith(one)))).toEqual([]);
    expect(Object.keys(disk).filter((one) => !reaches.some((file) => file.startsWith(one)))).toEqual([]);
  });

  it('are given the disk, and name it only as a default', () => {
    const named = files.filter((file) => /^import [^;]*\bnodeFileSystem\b/m.test(readFileSync(join(root, file), 'utf8')));
    expect(named.filter((file) => !defaultDisk.some((one) => file.startsWith(one)))).toEqual([]);
    expect(defaultDisk.filter((one) => !textsOf(one).some((text) => text.includes('nodeFileSystem')))).toEqual([]);
  });

  it('declare each exported name once', () => {
    const places = new Map<string, string[]>();
    // vendors answer in our names
    for (const file of files.filter((one) => !/^src\/services\/\w+\//.test(one))) {
      for (const name of declaredIn(readFileSync(join(root, file), 'utf8'))) places.set(name, [...(places.get(name) ?? []), file]);
    }
    const twice = [...places].filter(([, where]) => where.length > 1);
    expect(twice.map(([name, where]) => `${name}: ${where.join(', ')}`)).toEqual([]);
    expect([...declaredIn('export type A = 1;\nexport async function b() {}\nexport const c = 1;\nexport { d };')]).toEqual([
      'A',
      'b',
      'c',
    ]);
  });

  it('keep the sandbox apart from the client', () => {
    expect(wrongImports('src/sandbox/wrong.ts', "import { createClient } from '../client/createClient.ts';")).toHaveLength(1);
  });
});
