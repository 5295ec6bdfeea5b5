/** Renders schema/service.schema.json, for editors: from the tables of a description, and the comments of its interfaces. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { commentsIn } from './descriptionTables.mjs';

/** Values of each type of JSON. Those that a kind takes say which types it has. */
const samples = {
  string: ['a', '/a', 'a.b', '', '1d', 'date', 'header:a', 'https://a.example/v1', 'a b'],
  number: [1, 2, 200, 0.5],
  boolean: [true, false],
  null: [null],
};

/** The schema of a description as JSON. `load` imports a compiled module. */
export async function serviceSchema(root, load) {
  const { leafWords, operationFields } = await load('src/contract/language/operationFields.js');
  const { serviceFields } = await load('src/contract/language/serviceFields.js');
  const commentsOf = commentsIn(root);

  const objectOf = ({ kinds }, left = []) => {
    const names = Object.keys(kinds).filter((name) => !left.includes(name));
    const { fields } = commentsOf({ kinds: Object.fromEntries(names.map((name) => [name, kinds[name]])) }) ?? { fields: new Map() };
    const described = (name) => (fields.get(name) ?? '').split(/\s*@default\s*/)[0];
    const required = names.filter((name) => kinds[name].more.isNeeded === true);
    return {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { ...schemaOf(kinds[name]), description: described(name) }])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  };
  const schemaOf = (kind) => {
    const { inside, words = [] } = kind.more;
    if (kind.takes.startsWith('a shape')) return { $ref: '#/$defs/shape' };
    if (inside?.choices !== undefined) return { anyOf: inside.choices.map(schemaOf) };
    if (inside?.kinds !== undefined) return objectOf(inside);
    if (inside?.entries !== undefined) {
      const entries = schemaOf(inside.entries);
      return kind.fits([]) ? { type: 'array', items: entries } : { type: 'object', additionalProperties: entries };
    }
    if (words.length > 0) return { enum: words };
    if (kind.fits({}) && kind.fits('a')) return {};
    const types = Object.keys(samples).filter((type) => samples[type].some(kind.fits));
    if (types.join() === 'boolean' && !kind.fits(false)) return { const: true };
    if (kind.takes.startsWith('a whole number')) return { type: 'integer' };
    return kind.takes.startsWith('two numbers')
      ? { type: 'array', items: { type: 'number' } }
      : { type: types.length === 1 ? types[0] : types };
  };

  const leaves = Object.keys(leafWords).map((word) => word.replace('|', '\\|'));
  const shape = { $ref: '#/$defs/shape' };
  const service = objectOf(serviceFields, ['sign', 'examples']);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A service, described for trawler',
    ...service,
    properties: {
      $schema: { type: 'string' },
      ...service.properties,
      operations: { type: 'object', additionalProperties: objectOf(operationFields), description: 'By name.' },
    },
    $defs: {
      shape: {
        anyOf: [
          { type: 'string', pattern: `^(${leaves.join('|')})(\\|null)?(: .*)?$|^[=~].` },
          { type: 'array', items: shape, minItems: 1, maxItems: 1 },
          {
            type: 'object',
            properties: { $oneOf: { type: 'array', items: shape }, $by: { type: 'string' }, $open: { const: true } },
            additionalProperties: shape,
          },
        ],
      },
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const made = await serviceSchema(root, (path) => import(pathToFileURL(join(root, 'dist', path)).href));
  const file = join(root, 'schema/service.schema.json');
  const there = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
  if (JSON.stringify(there) !== JSON.stringify(made)) await writeFile(file, `${JSON.stringify(made, undefined, 2)}\n`);
  console.log('schema/service.schema.json');
}
