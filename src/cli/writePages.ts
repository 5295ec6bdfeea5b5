import { Writable } from 'node:stream';
import { lastValueFrom, Observable, type MonoTypeOperatorFunction, of } from 'rxjs';
import { countOf, formatCount } from '../../operators/kit/countOf.ts';
import {
  items,
  iterate,
  type PageLike,
  type CountedPaging,
  expandCursor,
  offsetPages,
  type PageFactory,
  type TokenPaging,
} from '../../operators/index.ts';
import { onAbort } from '../../operators/kit/onAbort.ts';
import type { TableOptions } from '../sinks/index.ts';
import { type Io, writeOut, InterruptedError, UsageError } from './Command.ts';
import { escapeForTerminal, printedJson, escapeLines } from './text/escapeForTerminal.ts';
import { paintFor, type Paint, plain } from './text/paintFor.ts';
import { fitText, padText, textWidth } from './text/textWidth.ts';
import { lackingParams, pagingKindOf, type Operation } from '../contract/index.ts';

export type OutputFormat = keyof typeof outputFormats;

interface WritePagesOptions {
  readonly format: OutputFormat;
  /** A file instead of stdout. Its ending names the format. */
  readonly out: string | undefined;
  /** Replace that file if it exists. */
  readonly overwrite: boolean;
  /** How rows become a table, in a file or as CSV. */
  readonly table: TableOptions;
  /** There may be more than one page. */
  readonly several: boolean;
  readonly io: Io;
}

/** Pages to stdout, no faster than it is read; or their rows to a file. */
export async function writePages(pages$: Observable<PageLike>, options: WritePagesOptions): Promise<void> {
  const { out, io } = options;
  const source$ = pages$.pipe(untilAborted(io.signal));
  if (out === undefined || out === '-') return outputFormats[options.format](source$, options);
  const { toFile } = await import('../sinks/index.ts');
  const { path, rows, bytes } = await lastValueFrom(source$.pipe(items(), toFile(out, { ...options.table, overwrite: options.overwrite })));
  const line = `${path}: ${countOf(rows, 'row')}, ${formatCount(bytes)} bytes`;
  io.stderr.write(`${escapeForTerminal(line)}\n`);
}

/** How pages may be printed. Control characters are escaped, so that a response can't control the terminal. */
export const outputFormats = {
  /** The columns are those that fit, chosen by the first page that has rows. A page of one row is shown field by field. */
  async table(pages$: Observable<PageLike>, { several, io }: WritePagesOptions): Promise<void> {
    const width = io.stdout.columns || 80;
    const paint = paintFor(io.stdout, io.env);
    let table: RowTable | undefined;
    let rows = 0;
    for await (const { items } of iterate(pages$)) {
      rows += items.length;
      if (items.length === 0) continue;
      if (items.length === 1 && !several) await writeOut(io.stdout, `${tableOfFields(items[0], width, paint)}\n`);
      else {
        const heading = table === undefined ? [paint.bold((table = await tableOfRows(items, width)).heading)] : [];
        await writeOut(io.stdout, `${[...heading, ...items.map((table as RowTable).line)].join('\n')}\n`);
      }
    }
    const counted = countOf(rows, 'row');
    const hidden = table === undefined || table.hidden === 0 ? '' : `, ${table.hidden} more fields`;
    io.stderr.write(`${counted}${hidden}. Use --format json to see everything.\n`);
  },
  async json(pages$: Observable<PageLike>, { several, io }: WritePagesOptions): Promise<void> {
    for await (const page of iterate(pages$)) {
      await writeOut(io.stdout, printedJson(page, several ? 0 : 2));
    }
  },
  async jsonl(pages$: Observable<PageLike>, { io }: WritePagesOptions): Promise<void> {
    for await (const page of iterate(pages$)) {
      await writeOut(io.stdout, page.items.map((row) => printedJson(row)).join(''));
    }
  },
  /** The same table as with `--out`. */
  async csv(pages$: Observable<PageLike>, { io, table }: WritePagesOptions): Promise<void> {
    const { toCsv } = await import('../sinks/index.ts');
    const escape = (text: string): string => (io.stdout.isTTY === true ? escapeLines(text) : text);
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, done) {
        void writeOut(io.stdout, escape(chunk.toString('utf8'))).finally(done);
      },
    });
    await lastValueFrom(pages$.pipe(items(), toCsv(stdout, table)));
  },
} as const;

export function isOutputFormat(text: string): text is OutputFormat {
  return Object.hasOwn(outputFormats, text);
}

/** Ends a stream with an InterruptedError when the command is told to stop. */
export function untilAborted<T>(signal: AbortSignal): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((subscriber) => {
      const stop = (): void => subscriber.error(new InterruptedError('Interrupted.'));
      if (signal.aborted) return stop();
      subscriber.add(onAbort(signal, stop));
      source.subscribe(subscriber);
    });
}

/** A table whose columns were chosen by its first rows, so that further rows can be printed as they come. */
interface RowTable {
  readonly heading: string;
  readonly line: (row: unknown) => string;
  /** Fields without a column, because the terminal is too narrow. */
  readonly hidden: number;
}

const maxWidth = 36;
const minWidth = 6;
const maxUnbroken = 24; // a longer value without a space is an id or a URL, which people don't read

/** Chooses the columns that fit: first those that a person reads, then ids and addresses. Empty columns are left out. */
async function tableOfRows(rows: readonly unknown[], width: number): Promise<RowTable> {
  const { isForPeople, readingOrder } = await import('../flow/report/index.ts');
  const flat = rows.map((row) => flatten(row));
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  const used = readingOrder(names.map((name) => ({ name }))).filter(({ name }) => flat.some((row) => cell(row.get(name)) !== ''));
  const columns = used.map(({ name }) => {
    const texts = flat.map((row) => cell(row.get(name)));
    return {
      name,
      width: Math.max(minWidth, Math.min(maxWidth, Math.max(textWidth(name), ...texts.map(textWidth)))),
      right: flat.every((row) => typeof (row.get(name) ?? 0) === 'number'),
      readable: isForPeople(name) && texts.filter((text) => text.length > maxUnbroken && !text.includes(' ')).length * 2 < texts.length,
    };
  });
  let left = width;
  const chosen = [...columns.filter(({ readable }) => readable), ...columns.filter(({ readable }) => !readable)].filter((column, index) => {
    if (index > 0 && column.width + 2 > left) return false;
    left -= column.width + 2;
    return true;
  });
  const render = (text: (column: (typeof chosen)[number]) => string): string =>
    chosen
      .map((column) => padText(text(column), Math.min(column.width, width), column.right ? 'right' : 'left'))
      .join('  ')
      .trimEnd();
  return {
    heading: render(({ name }) => escapeForTerminal(name)),
    line: (row) => {
      const values = flatten(row);
      return render(({ name }) => cell(values.get(name)));
    },
    hidden: used.length - chosen.length,
  };
}

/** One row as a table of two columns: its fields, and their values. */
function tableOfFields(row: unknown, width: number, paint: Paint = plain): string {
  const fields = [...flatten(row)]
    .map(([name, value]) => [escapeForTerminal(name), cell(value)] as const)
    .filter(([, text]) => text !== '');
  const nameWidth = Math.min(maxWidth, Math.max(0, ...fields.map(([name]) => textWidth(name))));
  return fields
    .map(([name, text]) => `${paint.bold(padText(name, nameWidth))}  ${fitText(text, Math.max(minWidth, width - nameWidth - 2))}`)
    .join('\n');
}

/** The fields of a row and of the objects in it, as `user.name`. */
function flatten(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map([[path === '' ? 'value' : path, value]]);
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...flatten(inner, path === '' ? name : `${path}.${name}`)]));
}

function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : countOf(value.length, 'item');
  return escapeForTerminal(typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value));
}

type PagesOf<P> = PageFactory<object, PageLike, P>;

/** The pages of one query of any operation that has several. */
export function callPages(
  factory: PagesOf<never>,
  { name, spec }: Operation,
  query: object,
  walk: { readonly maxPages: number },
): Observable<PageLike> {
  const lacking = lackingParams(spec.paging, query);
  if (lacking.length > 0) throw new UsageError(`Pages after the first of ${name} need --${lacking.join(' and --')}.`);
  const kind = pagingKindOf(spec.paging);
  if (kind.operator === 'expandCursor') return of(query).pipe(expandCursor(factory as PagesOf<TokenPaging>, walk));
  if (kind.operator === 'offsetPages') return of(query).pipe(offsetPages(factory as PagesOf<CountedPaging>, walk));
  throw new UsageError(`${name} has only one page, so it takes no --pages.`);
}
