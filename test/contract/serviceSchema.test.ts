import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadService } from '../../src/contract/index.ts';
import { heldOut } from '../services/heldOut.ts';
import { descriptions } from './descriptions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
const schema = JSON.parse(await read('schema/service.schema.json')) as object;
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
const faults = (description: unknown): string[] => {
  validate(JSON.parse(JSON.stringify(description)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** The description as JSON that the guide shows. */
async function ofGuide(): Promise<object> {
  const [, text] = /```jsonc\n(\{\n {2}"\$schema": "\.\/node_modules\/trawler\/schema\/service[^]*?)```/.exec(
    await read('docs/your-own-service.md'),
  )!;
  return JSON.parse(text!) as object;
}

describe('schema/service.schema.json', () => {
  it('is made from the tables; `npm run build && npm run docs` makes it anew', async () => {
    const { serviceSchema } = (await import(join(root, 'scripts/serviceSchema.mjs'))) as {
      serviceSchema: (root: string, load: (path: string) => Promise<unknown>) => Promise<unknown>;
    };
    const load = (path: string): Promise<unknown> => import(join(root, path.replace(/js$/, 'ts'))) as Promise<unknown>;
    expect(JSON.parse(JSON.stringify(await serviceSchema(root, load)))).toEqual(schema);
  });

  it('is a part of the package', async () => {
    const { exports, files } = JSON.parse(await read('package.json')) as { exports: object; files: string[] };
    expect(exports).toHaveProperty(['./schema/service.schema.json'], './schema/service.schema.json');
    expect(files).toContain('schema');
  });

  it('takes the description of the guide, and so does trawler', async () => {
    const description = await ofGuide();
    expect(faults(description)).toEqual([]);
    const folder = await mkdtemp(join(tmpdir(), 'trawler-schema-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'library.json'), JSON.stringify(description));
    expect(Object.keys((await loadService(join(folder, 'library.json'))).operations)).toEqual(['books']);
  });

  it.each<[string, string, string]>([
    ['a field that nothing has', '"next": "next"', ":22:7: defineOperation(books): there is no field 'netx'; did you mean 'next'?"],
    ['a parameter', '"required": true', ":14:11: defineOperation(books): there is no field 'params.subject.requierd'; did you mean"],
    ['a path', '"rows": "results"', ':17:7: defineOperation(books): rows must be a path'],
    ['a field of the service', '"headers"', ":5:3: defineService(library): there is no field 'haeders'; did you mean 'headers'?"],
  ])('%s that is wrong is said with its line and column', async (_, right, said) => {
    const wrong = {
      '"next": "next"': '"netx": "next"',
      '"required": true': '"requierd": true',
      '"rows": "results"': '"rows": 7',
      '"headers"': '"haeders"',
    };
    const folder = await mkdtemp(join(tmpdir(), 'trawler-schema-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const text = JSON.stringify(await ofGuide(), undefined, 2).replace(right, wrong[right as keyof typeof wrong]);
    await writeFile(join(folder, 'library.json'), text);
    await expect(loadService(join(folder, 'library.json'))).rejects.toThrow(`library.json${said}`);
  });

  it.each(Object.entries(heldOut))('takes %s', (name, { service, operation }) => {
    expect(faults({ name, ...service, operations: { rows: operation } })).toEqual([]);
  });

  it('takes each field of the language', () => {
    for (const { sign: _, examples: __, ...description } of descriptions as readonly {
      readonly sign?: unknown;
      readonly examples?: unknown;
    }[])
      expect(faults(description)).toEqual([]);
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- what is wrong has no type
  it.each<[string, (library: any) => void, string]>([
    ['a word of a service', (library) => (library.headres = {}), ' must NOT have additional properties'],
    [
      'a word of an operation',
      ({ operations: { books } }) => (books.netx = 'next'),
      '/operations/books must NOT have additional properties',
    ],
    ['a word of a parameter', ({ operations: { books } }) => (books.params.subject.requred = true), '/params/subject must NOT have'],
    ['a type', ({ operations: { books } }) => (books.params.subject.type = 'text'), '/type must be equal to one of the allowed values'],
    ['a word of a shape', ({ operations: { books } }) => (books.row.id = 'strng'), '/row/id must match pattern'],
    ['a meaning', (library) => (library.failures = [{ status: 404, means: 'emtpy' }]), '/failures/0/means must be equal to one of'],
    ['rows that are missing', ({ operations: { books } }) => delete books.rows, "must have required property 'rows'"],
  ])('refuses %s that is wrong', async (_, change, message) => {
    const library = await ofGuide();
    change(library);
    expect(faults(library).join('\n')).toContain(message);
  });
});
