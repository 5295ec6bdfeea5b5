import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Flow } from '../../flow/index.ts';
import type { FileToLoad } from '../../sinks/index.ts';
import { chooseService, serviceOption } from '../chooseService.ts';
import { type Command, ExitCode, UsageError, writeOut } from '../Command.ts';
import { openFlow, outFolderOf } from '../openFlow.ts';
import { parseOptions } from '../parseOptions.ts';
import { printedJson } from '../text/escapeForTerminal.ts';

const targets = ['duckdb', 'postgres', 'sqlite', 'json-schema'] as const;

const options = {
  for: { type: 'string', value: 'TARGET', about: 'duckdb, postgres, sqlite or json-schema' },
  out: { type: 'string', value: 'DIR', about: "the folder of a flow's files (out/NAME)" },
  file: { type: 'string', value: 'FILE', about: "an operation's file (NAME.csv)" },
  rows: { type: 'string', value: 'LIST', about: "an operation's other list: see 'trawler operations NAME'" },
  null: { type: 'string', value: 'TEXT', about: "the text that means null in an operation's CSV (none)" },
  ...serviceOption,
} as const;

export const schema: Command = {
  name: 'schema',
  overview: [10, 'print the SQL or JSON Schema that loads the files'],
  usage: 'FLOW|OPERATION --for TARGET [options]',
  about:
    "Prints the SQL that loads a flow's files, or those of an operation, with the right types: for DuckDB, for psql or for the sqlite3 " +
    'shell, to be run in the folder where you are. Or the JSON Schema of the rows. It sends no request.',
  options,
  examples: [
    ['trawler schema coffee.json --for postgres | psql', 'every file of a flow into PostgreSQL'],
    ['trawler schema coffee.json --for duckdb', 'CREATE TABLE … FROM read_csv(…), typed'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler schema');
    const [name, more] = positionals;
    if (name === undefined || more !== undefined)
      throw new UsageError('trawler schema takes one flow or operation.', { hint: 'See: trawler schema --help' });
    const target = targets.find((one) => one === values.for);
    if (target === undefined) {
      const given = values.for === undefined ? 'is missing' : `can't be '${values.for}'`;
      throw new UsageError(`--for ${given}: name one of ${targets.join(', ')}.`);
    }
    const service = await chooseService(values.service);
    const tables =
      Object.hasOwn(service.operations, name) && !existsSync(name)
        ? [await operationTable(service.operations[name]!, values)]
        : await flowTables(await openFlow([name], 'schema', values), values.out);
    if (target === 'json-schema') {
      const [only] = tables;
      const made = tables.length === 1 ? only!.jsonSchema : { $defs: Object.fromEntries(tables.map((one) => [one.table, one.jsonSchema])) };
      const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...made };
      await writeOut(io.stdout, printedJson(document, 2));
      return ExitCode.done;
    }
    const { loadStatement } = await import('../../sinks/index.ts');
    for (const { table, files } of tables) {
      const file = files.toSorted((one, other) => rank(target, one.path) - rank(target, other.path))[0];
      const statement =
        file === undefined
          ? `-- ${table} is written to no file.\n`
          : file.columns === undefined
            ? `-- The columns of ${table} aren't documented, so nothing can be said of ${file.path}.\n`
            : loadStatement(target, { table, ...file, columns: file.columns });
      await writeOut(io.stdout, `${statement}\n`);
    }
    return ExitCode.done;
  },
};

interface SchemaTable {
  readonly table: string;
  readonly files: readonly {
    readonly path: string;
    /** In a database. */
    readonly table?: string;
    readonly columns: FileToLoad['columns'] | undefined;
    readonly csv?: FileToLoad['csv'];
  }[];
  readonly jsonSchema: object;
}

/** With the paths of the files as they are named from where one is. */
async function flowTables(flow: Flow, out: string = outFolderOf(flow)): Promise<readonly SchemaTable[]> {
  const { stageSchemas } = await import('../../flow/index.ts');
  return stageSchemas(flow).map(({ files, ...one }) => {
    return { ...one, files: files.map((file) => ({ ...file, path: join(out, file.path).replaceAll(sep, '/') })) };
  });
}

async function operationTable(
  operation: import('../../contract/index.ts').Operation,
  values: { readonly file?: string | undefined; readonly rows?: string | undefined; readonly null?: string | undefined },
): Promise<SchemaTable> {
  const { columnsOf, rowJsonSchema } = await import('../../contract/index.ts');
  const { fileKindOf, endingsInWords } = await import('../../sinks/index.ts');
  const { file = `${operation.name}.csv`, rows = operation.spec.rows } = values;
  if (fileKindOf(file) === undefined) throw new UsageError(`--file: the ending of ${file} names no format: use ${endingsInWords()}.`);
  const columns = columnsOf(operation, rows);
  if (columns.length === 0) throw new UsageError(`The rows of ${operation.name}${rows === null ? '' : ` in ${rows}`} aren't documented.`);
  return {
    table: operation.name,
    files: [
      {
        path: file,
        columns: columns.map(({ path, keys, type }) => ({ header: path, keys, type })),
        csv: values.null === undefined ? undefined : { null: values.null },
      },
    ],
    jsonSchema: rowJsonSchema(operation, rows),
  };
}

/** Which of a stage's files loads best. */
function rank(target: string, path: string): number {
  const order: { readonly [target: string]: readonly RegExp[] } = {
    duckdb: [/\.parquet$/i, /\.[ct]sv/i, /l\b/i, /\.duckdb$/i],
    postgres: [/\.[ct]sv/i, /l\b/i],
    sqlite: [/l\b/i, /\.[ct]sv/i, /\.sqlite$/i],
  };
  const at = order[target]!.findIndex((ending) => ending.test(path));
  return at < 0 ? 9 : at;
}
