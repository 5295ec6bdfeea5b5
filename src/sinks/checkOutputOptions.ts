import { formatNames, fileFormats, type Format } from './formats/fileFormats.ts';
import type { DatabaseOptions, FileOptions, OutputOptions } from './OutputOptions.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import type { TableOptions } from './TableOptions.ts';
import { callback, flag, having, like, oneOf, signal, text, declareOptions, optionError } from '../../operators/options/index.ts';
import type { OperatorFunction } from 'rxjs';
import type { PageLike } from '../../operators/PageLike.ts';

const isMode = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0o777;
const isDelimiter = (value: unknown): boolean => typeof value === 'string' && /^[^"'\r\n\\\]^[\0\ufeff\p{L}\p{N}.+-]$/u.test(value);
const isNull = (value: unknown): boolean => typeof value === 'string' && !/[\r\n\0]/.test(value);
const nullWords = 'text without delimiter, quote or line break';

export const fileOptions = declareOptions<FileOptions>()({
  overwrite: flag().or(false),
  append: flag().or(false),
  within: text('a folder'),
  mode: like<number>('permissions from 0 to 0o777', isMode).or(0o666),
  signal: signal(),
  fileSystem: having('a file system', 'open'),
});

export const tableOptions = declareOptions<TableOptions>()({
  columns: like('a list of at least one column', (value) => Array.isArray(value) && value.length > 0),
  extra: flag().or(false),
  onUnlisted: callback(),
  delimiter: like('one character that is no letter, digit, sign, quote or bracket', isDelimiter),
  quote: like<'"' | "'">(`'"' or "'"`, (value) => value === '"' || value === "'").or('"'),
  eol: like<'\n' | '\r\n'>(String.raw`'\n' or '\r\n'`, (value) => value === '\n' || value === '\r\n').or('\n'),
  null: like<string>(nullWords, isNull).or(''),
  bom: flag().or(false),
  formulas: oneOf('escape', 'keep').or('escape'),
});

export const databaseOptions = declareOptions<DatabaseOptions>()({
  table: text('the name of a table'),
  index: like('a list of columns', (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')),
});

export const outputOptions = declareOptions<OutputOptions>()({
  ...fileOptions.kinds,
  ...databaseOptions.kinds,
  format: oneOf<Format>(...formatNames),
  resume: like('a position in the file', (value) => typeof value === 'object'),
  lock: flag().or(true),
  ...tableOptions.kinds,
});

/** The options that a format has, besides those of every file. */
export function optionsOfFormat(name: Format): readonly string[] {
  const format = fileFormats[name];
  if (format.text) return format.delimiter === undefined ? [] : Object.keys(tableOptions.kinds);
  return ['columns', 'extra', ...(format.tables ? ['table', 'index'] : [])];
}

/** Why files of a format can't be written with these options. undefined: they can. */
export function writingFault(format: Format, options: OutputOptions): string | undefined {
  const known = optionsOfFormat(format);
  const unfit = Object.keys(options).find((option) => !known.includes(option));
  if (unfit !== undefined) return `${unfit} says nothing about a ${format} file`;
  try {
    outputOptions.check('to', options);
    checkOutputOptions('to', 'rows', { ...options, format });
    return undefined;
  } catch (error) {
    return messageOf(error).replace(/^to: /, '');
  }
}

/** Throws if options are valid one by one, but not together. `name` is the function that was called. */
export function checkOutputOptions(name: string, path: string, options: OutputOptions): void {
  const { overwrite, append, format, delimiter = ',', quote = '"', null: nothing = '' } = options;
  const isAssembled = format !== undefined && !fileFormats[format].text;
  const rules: readonly (readonly [option: string, value: unknown, isWrong: boolean | undefined, takes: string])[] = [
    ['path', path, typeof path !== 'string' || path === '', 'the name of a file'],
    ['append', append, overwrite && append, 'false where overwrite is true'],
    ['append', append, isAssembled && append, `false for ${format}, which is made as a whole at the end`],
    ['null', nothing, nothing.includes(delimiter) || nothing.includes(quote), nullWords],
  ];
  const broken = rules.find(([, , isWrong]) => isWrong);
  if (broken !== undefined) throw optionError(name, broken[0], broken[3], broken[1]);
  checkColumns(name, options);
}

function checkColumns(name: string, { columns = [], extra }: TableOptions): void {
  const headers = new Set<string>(extra ? ['_extra'] : []);
  for (const choice of columns) {
    const header = typeof choice === 'string' ? choice : (choice.header ?? ('path' in choice ? choice.path : undefined));
    if (typeof header !== 'string' || header === '')
      throw optionError(name, 'columns', 'paths, or { path, header }, or { header, value }', choice);
    if (headers.has(header)) throw optionError(name, 'columns', 'without the same heading twice', header);
    headers.add(header);
  }
}

/** What a sink takes instead of a page. It is here for the compiler's message, which says what to do. */
export interface NotRows {
  readonly items?: 'write items() before the sink';
}

type RowsOnly<Row, Rows = Row> = Row extends PageLike ? NotRows : Rows;

/** A sink: it takes rows of any kind, but no pages. */
export type SinkOf<Row, Report> = OperatorFunction<RowsOnly<Row>, Report>;

/** The error of a sink whose first row is a page. */
export function pageFault(sink: string, first: unknown): RangeError | undefined {
  const { operation, query, items } = (typeof first === 'object' && first !== null ? first : {}) as Partial<PageLike>;
  if (typeof operation !== 'string' || typeof query !== 'object' || !Array.isArray(items)) return undefined;
  return new RangeError(`${sink} takes rows, and got a page of ${operation}: write items() before it, as in pipe(items(), ${sink}(…))`);
}
