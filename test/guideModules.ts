import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as rxjs from 'rxjs';
import * as bullmq from '../src/bullmq/index.ts';
import * as flow from '../src/flow/index.ts';
import * as trawler from '../src/index.ts';
import * as operators from '../src/operators.ts';
import * as sandbox from '../src/sandbox/index.ts';
import * as sinks from '../src/sinks/index.ts';
import * as store from '../src/store/index.ts';
import * as proxy from '../src/proxy/index.ts';
import * as testing from '../src/testing/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const doors: { readonly [name: string]: object } = {
  rxjs,
  trawler,
  'trawler/operators': operators,
  'trawler/sinks': sinks,
  'trawler/flow': flow,
  'trawler/store': store,
  'trawler/sandbox': sandbox,
  'trawler/testing': testing,
  'trawler/proxy': proxy,
  'trawler/bullmq': bullmq,
};

const client = "ReturnType<typeof import('trawler').createClient>";
const observable = (row: string): string => `import('rxjs').Observable<${row}>`;
/** What the examples take for given, and its type. */
const given: { readonly [name: string]: string } = {
  client,
  flow: "import('trawler/flow').Flow",
  apiKey: 'string',
  data_id: 'string',
  id: 'string',
  outDir: 'string',
  lookUp: '(id: string) => Promise<{ title: string }>',
  terms: 'readonly { query: string }[]',
  ids$: observable('string'),
  queries$: observable('{ query: string }'),
  rows$: observable('{ data_id: string; term: string }'),
  places$: observable('{ data_id: string; title: string }'),
  books$: observable('{ id: string }'),
  pages$: observable('never'),
  seen: 'Set<unknown>',
  pool: 'any',
  log: '(...said: unknown[]) => void',
  database: 'any',
  store: '(page: unknown) => Promise<boolean>',
  Place: '{ readonly data_id: string }',
  books: 'any',
  orders: 'any',
  watermarks: 'Map<string, number>',
  service: 'any',
  respond: 'any',
  editions: 'any',
  page: 'any',
};

interface Block {
  readonly name: string;
  readonly code: string;
}

/** The TypeScript of the guides and the reference. */
function blocksOf(folder: string): readonly Block[] {
  const pages = readdirSync(join(root, folder)).filter((page) => page.endsWith('.md'));
  return pages.flatMap((page) =>
    Array.from(readFileSync(join(root, folder, page), 'utf8').matchAll(/^```ts\n([^]*?)^```/gm), ([, code], nth) => ({
      name: `${page.slice(0, -3)}-${nth + 1}`,
      code: code!,
    })),
  );
}

/** A module with the imports and the declarations that an example leaves out. */
function moduleOf(code: string): string {
  const uses = (name: string): boolean =>
    new RegExp(String.raw`(?<![.\w$'"])${name.replaceAll('$', String.raw`\$`)}(?![\w$'"])`).test(code);
  const imported = Array.from(code.matchAll(/import (?:type )?\{([^}]*)\}/g), ([, names]) => names!.split(',').map((name) => name.trim()));
  const declared = Array.from(
    code.matchAll(/(?:const|let|using|function|class|interface|type) (?:\{([^}]*)\}|([\w$]+))/g),
    ([, many, one]) => (many ?? one!).split(',').map((name) => name.trim()),
  );
  const own = new Set([...imported, ...declared].flat());
  const imports = Object.entries(doors).flatMap(([door, exports]) =>
    Object.keys(exports).flatMap((name) => {
      if (name === 'default' || Object.hasOwn(given, name) || own.has(name) || !uses(name)) return [];
      own.add(name);
      return [`import { ${name} } from '${door}';`];
    }),
  );
  const declarations = Object.entries(given).flatMap(([name, type]) => {
    if (own.has(name) || !uses(name)) return [];
    return [/^[A-Z]/.test(name) ? `type ${name} = ${type};` : `declare const ${name}: ${type};`];
  });
  return [...imports, ...declarations, code, 'export {};', ''].join('\n');
}

/** The modules of the guides and the reference, by their file. A line with an ellipsis in place of code leaves out what anybody writes there. */
export function guideModules(): { readonly [file: string]: string } {
  const blocks = ['docs', 'docs/reference'].flatMap(blocksOf).filter(({ code }) => !/^[^/']*…/m.test(code));
  return Object.fromEntries(blocks.map(({ name, code }) => [`${name}.mts`, moduleOf(code)]));
}
