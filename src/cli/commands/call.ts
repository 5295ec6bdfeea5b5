import { setFlagsFromString } from 'node:v8';
import type { Observable } from 'rxjs';
import type { PageFactory, PageLike } from '../../../operators/index.ts';
import { whole } from '../../../operators/options/index.ts';
import type { Operation, Service } from '../../contract/index.ts';
import { chooseService, findOperation } from '../chooseService.ts';
import { type Command, type OptionTable, type OptionValues, ExitCode, UsageError, writeOut } from '../Command.ts';
import { isHelp, renderOptions } from '../renderHelp.ts';
import { numberOption, optionIn, paramOptions, parseOptions } from '../parseOptions.ts';
import { clientFlags, withClient } from '../openClient.ts';
import { storeOptions } from '../openStoreFor.ts';
import type { OutputFormat } from '../writePages.ts';
import { describeEvent, type AnyClient, type ClientEvent } from '../../index.ts';
import type { Format, TableOptions } from '../../sinks/index.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';

/** How rows become a table. */
const tableFlags = {
  columns: { type: 'string', value: 'A,B', about: 'only these columns, in this order' },
  extra: { type: 'boolean', about: 'add a column _extra with the fields that have no column' },
  delimiter: { type: 'string', value: 'C', about: "CSV: what stands between cells, such as ';' (,)" },
  quote: { type: 'string', value: 'C', about: `CSV: what stands around cells that need it: " or ' (")` },
  eol: { type: 'string', value: 'EOL', about: 'CSV: what ends a row: lf or crlf (lf)' },
  null: { type: 'string', value: 'TEXT', about: 'CSV: what is written for null (nothing)' },
  bom: { type: 'boolean', about: 'CSV: begin with a byte order mark, which Excel needs to see UTF-8' },
  formulas: {
    type: 'string',
    value: 'HOW',
    about: "CSV: 'keep' writes what a spreadsheet may run without an apostrophe in front (escape)",
  },
} as const;

const options = {
  pages: { type: 'string', value: 'N', about: "how many pages to get: a number or 'all' (1)" },
  rows: { type: 'string', value: 'LIST', about: "take the rows from another list: see 'trawler operations NAME'" },
  format: {
    type: 'string',
    value: 'FORMAT',
    about: 'table, json (whole pages), jsonl (rows) or csv (rows). Default: table on a terminal, else json for one page, jsonl for more',
  },
  out: {
    type: 'string',
    value: 'FILE',
    about: 'write the rows to this file; its ending sets the format: .jsonl, .csv, .parquet, .sqlite …; - is stdout',
  },
  overwrite: { type: 'boolean', about: 'with --out: replace the file if it exists' },
  ...tableFlags,
  quiet: { type: 'boolean', about: 'print only errors on stderr' },
  ...clientFlags,
  ...storeOptions,
} as const;

export const call: Command = {
  name: 'call',
  overview: [6, 'call one operation and print the response'],
  usage: 'OPERATION [--PARAMETER VALUE …] [options]',
  about:
    'Calls one operation and prints the response. Each parameter of the operation is an option of the same name, or --query.NAME where ' +
    "another option has that name. 'trawler call OPERATION --help' lists them.",
  options,
  examples: [],
  helpByName: true,
  async run(argv, io) {
    const [name, ...rest] = argv;
    if (name === undefined || name.startsWith('-')) {
      throw new UsageError('The operation comes first: trawler call OPERATION --PARAMETER VALUE', {
        hint: "'trawler operations' lists them.",
      });
    }
    const { coerceQuery, describeOperation } = await import('../../contract/index.ts');
    const service = await chooseService(optionIn(rest, 'service'));
    const operation = await findOperation(service, name);
    if (rest.some(isHelp)) {
      const { describeText } = await import('./operations.ts');
      const text =
        `trawler call ${name} [--PARAMETER VALUE …] ` +
        `[options]\n\n${describeText(describeOperation(operation), io.stdout.columns)}\n\n` +
        `Options\n${renderOptions(options, io.stdout.columns)}\n`;
      await writeOut(io.stdout, text);
      return ExitCode.done;
    }
    const { values, texts, wanted, format } = await readArguments(operation, rest, io.stdout.isTTY === true);
    let written: Format | OutputFormat = format;
    if (values.out !== undefined && values.out !== '-') {
      const { endingsInWords, fileKindOf } = await import('../../sinks/index.ts');
      const kind = fileKindOf(values.out);
      if (kind === undefined) throw new UsageError(`--out: the ending of ${values.out} names no format. Use ${endingsInWords()}.`);
      written = kind.format;
    }
    const table = await tableOf(values, written, { service, call: name });
    const query = coerceQuery(operation, texts);
    const { writePages } = await import('../writePages.ts');
    // undici parses HTTP in WebAssembly. V8 optimises it in the background, and the process waits for that at its end: for 0.1 s.
    if (wanted.pages === 1) setFlagsFromString('--liftoff-only');
    return withClient(values, service, io, async (client) => {
      if (values.quiet !== true) {
        client.events$.subscribe((event) => {
          const notice = noticeOf(event);
          if (notice !== undefined) io.stderr.write(`${notice}\n`);
        });
      }
      const several = values.pages !== undefined;
      const overwrite = values.overwrite === true;
      const pages$ = await pagesOf(client, operation, query, wanted);
      await writePages(pages$, { format, out: values.out, overwrite, table, several, io });
      return ExitCode.done;
    });
  },
};

interface PagesWanted {
  /** The page limit. Infinity: all pages. */
  readonly pages: number;
  /** Another list of the response to use as rows. */
  readonly rows: string | undefined;
}

async function pagesOf(
  client: AnyClient,
  operation: Operation,
  query: object,
  { pages, rows }: PagesWanted,
): Promise<Observable<PageLike>> {
  const factory = client[operation.name as keyof AnyClient] as unknown as PageFactory<object, PageLike, never>;
  if (pages === 1) return factory(query, { rows });
  const { callPages } = await import('../writePages.ts');
  return callPages(factory, operation, query, { maxPages: pages, ...(rows === undefined ? {} : { rows }) });
}

interface CallArguments {
  readonly values: OptionValues<typeof options>;
  /** The parameters, as they were typed. */
  readonly texts: { readonly [param: string]: string | readonly string[] };
  readonly wanted: PagesWanted;
  readonly format: OutputFormat;
}

async function readArguments(operation: Operation, argv: readonly string[], terminal: boolean): Promise<CallArguments> {
  const params = paramOptions(operation);
  const table: OptionTable & typeof options = { ...params, ...options };
  const { values, positionals } = parseOptions(argv, table, `trawler call ${operation.name}`);
  if (positionals.length > 0) {
    throw new UsageError(`'${positionals[0]}' stands without an option name.`, { hint: 'Give each parameter by name: --PARAMETER VALUE' });
  }
  const given: readonly (readonly [string, unknown])[] = Object.entries(values);
  const texts = Object.fromEntries(
    given
      .filter(([name]) => Object.hasOwn(params, name) && !Object.hasOwn(options, name))
      .map(([name, value]) => [name.replace(/^query\./, ''), Array.isArray(value) ? value.map(String) : String(value)]),
  );
  const rowsOnly = values.pages !== undefined || values.rows !== undefined || values.out !== undefined;
  const format = values.format ?? (terminal && values.out !== '-' ? 'table' : rowsOnly ? 'jsonl' : 'json');
  const { isOutputFormat, outputFormats } = await import('../writePages.ts');
  if (!isOutputFormat(format)) throw new UsageError(`--format is ${Object.keys(outputFormats).join(', ')}, not '${format}'.`);
  const file = values.out === '-' ? undefined : values.out;
  if (file !== undefined && values.format !== undefined) {
    throw new UsageError("--format is for stdout; with --out, the file's ending sets the format.");
  }
  if (values.overwrite === true && file === undefined) throw new UsageError('--overwrite needs --out FILE.');
  return { values, texts, wanted: { pages: pagesOption(values.pages), rows: values.rows }, format };
}

/** How rows become a table, checked as a flow would say it, before anything is requested. `format`: of the file, or of stdout. */
async function tableOf(
  values: OptionValues<typeof options>,
  format: Format | OutputFormat,
  { service, call }: { readonly service: Service; readonly call: string },
): Promise<TableOptions> {
  const { rows, columns, extra, delimiter, quote, eol, null: nothing, bom, formulas } = values;
  const ends: { readonly [name: string]: string } = { lf: '\n', crlf: '\r\n' };
  const given = { columns: columns?.split(','), extra, delimiter, quote, eol: eol && (ends[eol] ?? eol), null: nothing, bom, formulas };
  const table: object = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const [first] = Object.keys(table);
  if (first === undefined) return {};
  if (format === 'table' || format === 'json') throw new UsageError(`--${first} needs --out FILE, or --format csv.`);
  const { checkFlow } = await import('../../flow/index.ts');
  const at = 'stages.rows.to';
  const stage = { call, ...(rows === undefined ? {} : { rows }), to: { file: `rows.${format}`, ...table } };
  const fault = checkFlow({ name: 'call', stages: { rows: stage } }, { service }).find(({ path }) => path.startsWith(at));
  if (fault === undefined) return table;
  const option = fault.path.slice(at.length + 1).split('.')[0]!;
  throw new UsageError(`--${option === '' ? '' : `${option}: `}${fault.message}.`);
}

function pagesOption(text: string | undefined): number {
  if (text === 'all') return Infinity;
  try {
    return text === undefined ? 1 : numberOption('pages', text, whole({ from: 1 }));
  } catch {
    throw new UsageError(`--pages is a whole number from 1, or 'all', not '${text}'.`);
  }
}

/** An event as one line for a person who waits for a response. undefined if it isn't worth a line. */
export function noticeOf(event: ClientEvent): string | undefined {
  const line = describeEvent(event);
  return line === undefined ? undefined : escapeForTerminal(line);
}
