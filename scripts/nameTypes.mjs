/**
 * Gives what users install short, named types. In the sources each operation's types are computed from its data, which an
 * editor shows as a literal of a hundred lines. Here, after the build, each operation's declarations get an interface for its
 * query, its data, its rows, its page, and every object inside, each property with its text.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function nameTypes(dist) {
  const { operations } = await import(pathToFileURL(join(dist, 'src/search/index.js')).href);
  const { describeOperation } = await import(pathToFileURL(join(dist, 'src/contract/index.js')).href);
  for (const operation of Object.values(operations)) {
    const path = join(dist, `src/search/operations/${operation.name}.d.ts`);
    writeFileSync(path, declarations(readFileSync(path, 'utf8'), operation, describeOperation(operation)));
  }
  const door = join(dist, 'src/index.d.ts');
  const pages = Object.keys(operations).map((name) => `export type { ${pascal(name)}Page } from './search/operations/${name}.js';\n`);
  writeFileSync(door, pages.join('') + readFileSync(door, 'utf8'));
  // Compilers that resolve modules as Node 10 did don't read a .ts ending as .js.
  for (const file of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(dist, file);
    const text = readFileSync(path, 'utf8');
    const renamed = text.replaceAll(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js');
    if (renamed !== text) writeFileSync(path, renamed);
  }
}

function declarations(text, operation, description) {
  const { spec, name } = operation;
  const prefix = pascal(name);
  const specName = `${prefix}Spec`;
  const lists = namedLists(text, spec, prefix);
  const names = new Set([`${prefix}Query`, `${prefix}Data`, `${prefix}Page`, specName, ...lists.values()]);
  const made = [];
  const writer = { lists, names, made, prefix };

  const query = description.params.map((param) => {
    const type = paramType(spec.params[param.name]);
    return `${comment(paramText(param), '    ')}    readonly ${key(param.name)}${param.required ? '' : '?'}: ${type}${param.required ? '' : ' | undefined'};`;
  });
  const row = spec.rows === null ? `${prefix}Data` : (lists.get(spec.rows) ?? '{ readonly [field: string]: unknown }');
  made.push(`${comment(`What ${name} asks for. ${description.about}`)}export interface ${prefix}Query {\n${query.join('\n')}\n}`);
  const data = typeOf(spec.response, '', `${prefix}Data`, writer);
  if (data !== `${prefix}Data`) made.push(`export type ${prefix}Data = ${data};`);
  made.push(
    `${comment(`One page of ${name}: its rows in \`items\`, the whole response in \`data\`.`)}export interface ${prefix}Page extends Page<'${name}', ${prefix}Query, ${prefix}Data, ${row}> {\n}`,
  );

  const body = /^declare const spec: \{\n([\s\S]*?)^\};\n/m.exec(text);
  if (body === null) throw new Error(`${name}.d.ts declares no spec`);
  made.push(factory(prefix, spec, description));
  const types = `    /** Declared for editors; the value doesn't have it. */\n    readonly ' factory': ${prefix}Factory;\n`;
  const rest = text
    .slice(body.index + body[0].length)
    .replaceAll('typeof spec', specName)
    .split('\n')
    .filter((line) => !line.startsWith('//# sourceMappingURL') && !names.has(/^export type (\w+) =/.exec(line)?.[1]));
  return [
    text
      .slice(0, body.index)
      .replaceAll(/^import (?:type )?\{[^}]*\} from '[^']*\/contract\/(?:Operation|Shape)\.ts';\n/gm, '')
      .trimEnd(),
    `import type { Observable } from 'rxjs';`,
    `import type { PageFactory } from '../../../operators/PageFactory.js';`,
    `import type { PageRequest } from '../../../operators/PageLike.js';`,
    `import type { Page } from '../../client/Client.js';`,
    `import type { DataOf, MadeOf, Operation, QueryOf, RowAt, RowOf } from '../../contract/Operation.js';`,
    `import type { TypeOf, OtherText } from '../../contract/Shape.js';`,
    `${comment(`The data of ${name}.`)}export interface ${specName} {\n${body[1]}${types}}`,
    ...made,
    rest.join('\n'),
  ].join('\n');
}

/** What a client has for the operation. */
function factory(prefix, spec, { about }) {
  const specName = `${prefix}Spec`;
  const variants = Object.keys(spec.variants?.values ?? {}).map((value) => {
    const variant = `${specName}['variants']['values'][${JSON.stringify(value)}]`;
    const data = `TypeOf<${variant}['response']>`;
    return `    (query: ${prefix}Query & { readonly ${spec.variants.param}: ${JSON.stringify(value)} }, request?: PageRequest): Observable<Page<'${spec.name}', ${prefix}Query, ${data}, RowAt<${data}, ${variant}['rows']>>>;`;
  });
  return [
    `${comment(`${about} Called with a query it gives an Observable of one page. Each subscription is one request.`)}export interface ${prefix}Factory extends PageFactory<${prefix}Query, ${prefix}Page, MadeOf<${specName}>['paging']> {`,
    '    /** The same with another list of the response as rows. */',
    `    <const R extends string>(query: ${prefix}Query, request: PageRequest & { readonly rows: R }): Observable<Page<'${spec.name}', ${prefix}Query, ${prefix}Data, RowAt<${prefix}Data, R>>>;`,
    ...variants,
    `    (query: ${prefix}Query, request?: PageRequest): Observable<${prefix}Page>;`,
    `    readonly name: '${spec.name}';`,
    `    readonly list: ${specName}['rows'];`,
    "    /** The operation's data: parameters, rules, the shape of its response. */",
    `    readonly operation: Operation<MadeOf<${specName}>>;`,
    '}',
  ].join('\n');
}

/** The names that the operation's file gives to rows, by the path of their list. */
function namedLists(text, spec, prefix) {
  const lists = new Map();
  for (const [, name] of text.matchAll(/^export type (\w+) = RowOf<typeof spec>;/gm)) if (spec.rows !== null) lists.set(spec.rows, name);
  for (const [, name, path] of text.matchAll(/^export type (\w+) = RowAt<\w+, '([^']+)'>;/gm)) if (!lists.has(path)) lists.set(path, name);
  if (spec.rows !== null && !lists.has(spec.rows) && shapeAt(spec.response, spec.rows) !== undefined) lists.set(spec.rows, `${prefix}Row`);
  return lists;
}

function shapeAt(shape, path) {
  const open = (at) => at?.$hint ?? at;
  return path.split('.').reduce((at, name) => open(open(at)?.[name] ?? open(at)?.[`${name}?`]), shape);
}

const kinds = new Map(
  Object.entries({
    string: 'string',
    integer: 'number',
    number: 'number',
    boolean: 'boolean',
    object: '{ readonly [field: string]: unknown }',
    array: 'readonly unknown[]',
    'string|null': 'string | null',
    'integer|null': 'number | null',
    'number|null': 'number | null',
    'number|string': 'number | string',
  }),
);

/** The type of a shape; objects become interfaces, which `writer` collects. `wanted` is the name that an object gets. */
function typeOf(shape, path, wanted, writer) {
  if (typeof shape === 'string') return leafType(shape.replace(/: [\s\S]*$/, ''));
  if (Array.isArray(shape)) {
    const inner = typeOf(shape[0], path, writer.lists.get(path) ?? wanted, writer);
    return `readonly ${/[|&]/.test(inner) ? `(${inner})` : inner}[]`;
  }
  if (shape.$hint !== undefined) return typeOf(shape.$hint, path, wanted, writer);
  if (shape.$oneOf !== undefined) return unionOf(shape, path, wanted, writer);
  if (shape.$nullable !== undefined) return `${typeOf(shape.$nullable, path, wanted, writer)} | null`;
  if (shape.$map !== undefined) return mapType(shape);
  return interfaceOf(shape, path, wanted, writer);
}

function unionOf(shape, path, wanted, writer) {
  const at = writer.made.length;
  const name = unused(wanted, writer);
  const parts = shape.$oneOf.map((one, index) => typeOf(one, path, `${name}${index + 1}`, writer));
  if (shape.$open === true) parts.push(`{ readonly ${key(shape.$by)}: OtherText }`);
  writer.made.splice(at, 0, `export type ${name} = ${parts.join(' | ')};`);
  return name;
}

function interfaceOf(shape, path, wanted, writer) {
  const name = unused(wanted, writer);
  const at = writer.made.length;
  const fields = Object.entries(shape).map(([field, inner]) => {
    const [bare, optional] = field.endsWith('?') ? [field.slice(0, -1), '?'] : [field, ''];
    const below = path === '' ? bare : `${path}.${bare}`;
    const type = typeOf(inner, below, `${name.replace(/Data$/, '')}${pascal(bare)}`, writer);
    const about = /^[^:]*: ([\s\S]*)$/.exec(typeof inner === 'string' ? inner : '')?.[1] ?? '';
    return `${comment(about, '    ')}    readonly ${key(bare)}${optional}: ${type};`;
  });
  writer.made.splice(at, 0, `export interface ${name} {\n${fields.join('\n')}\n}`);
  return name;
}

/** An object whose keys vary has no name of its own. */
function mapType(shape) {
  return `TypeOf<${JSON.stringify(shape).replaceAll('[', 'readonly [')}>`;
}

function unused(wanted, { names, made }) {
  const declared = (name) => made.some((text) => text.includes(`export interface ${name} {`) || text.startsWith(`export type ${name} =`));
  let name = wanted;
  for (let n = 2; declared(name); n += 1) name = `${wanted}${n}`;
  names.add(name);
  return name;
}

function leafType(word) {
  if (word.startsWith('=')) return texts(word.slice(1));
  if (word.startsWith('~')) return `${texts(word.slice(1))} | (string & {})`;
  return kinds.get(word) ?? 'unknown';
}

function texts(options) {
  return options
    .split('|')
    .map((option) => JSON.stringify(option))
    .join(' | ');
}

function paramType({ type, oneOf, known }) {
  if (type !== 'string') return type === 'integer' ? 'number' : 'boolean';
  if ((oneOf ?? known) === undefined) return 'string';
  const listed = (oneOf ?? known).map((option) => JSON.stringify(option)).join(' | ');
  return oneOf === undefined ? `${listed} | (string & {})` : listed;
}

function paramText({ about, allowed, from, default: fallback }) {
  const sentences = [about, about.includes(allowed) ? '' : allowed, from === '' ? '' : `from ${from}`]
    .filter((part) => part !== '')
    .join('; ');
  // An @ outside of code would begin a tag.
  const text = (sentences.charAt(0).toUpperCase() + sentences.slice(1)).replaceAll(/@[\w.,-]*\w/g, '`$&`');
  return `${text}.${fallback === undefined || fallback === '' ? '' : ` @default ${JSON.stringify(fallback)}`}`;
}

function comment(text, indent = '') {
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

function key(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function pascal(name) {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase());
}
