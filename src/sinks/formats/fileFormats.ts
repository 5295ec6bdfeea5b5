import { compressionOf, type Compression } from '../compression.ts';
import { csv, tsv } from './csv.ts';
import { duckdb, parquet, sqlite } from './makeDatabase.ts';
import type { TableOptions } from '../TableOptions.ts';
import type { CsvDialect, FileFormat, AssembledFormat, TextFormat } from './FileFormat.ts';
import { jsonl } from './jsonl.ts';

export type TextFormatName = 'jsonl' | 'csv' | 'tsv';
export type AssembledFormatName = 'parquet' | 'duckdb' | 'sqlite';
export type Format = TextFormatName | AssembledFormatName;

type Formats = { readonly [name in TextFormatName]: TextFormat } & { readonly [name in AssembledFormatName]: AssembledFormat };

/** All formats. Whatever reads, writes, loads or describes files looks up the differences here. */
export const fileFormats: Formats = { jsonl, csv, tsv, parquet, duckdb, sqlite };

export const formatNames: readonly Format[] = Object.keys(fileFormats) as Format[];

/** The format and the compression that the name of a file says. */
export type FileKind = (
  | ({ readonly format: TextFormatName } & TextFormat)
  | ({ readonly format: AssembledFormatName } & AssembledFormat)
) & {
  readonly compression: Compression | undefined;
};

const formatOf: ReadonlyMap<string, Format> = new Map(
  formatNames.flatMap((name) => fileFormats[name].endings.map((ending): [string, Format] => [ending, name])),
);

/** The format that the ending of a path names, in upper or lower case. undefined for an unknown ending. */
export function fileKindOf(path: string): FileKind | undefined {
  const { compression, plain } = compressionOf(path.toLowerCase());
  const format = formatOf.get(plain.slice(plain.lastIndexOf('.')));
  if (format === undefined || (compression !== undefined && !fileFormats[format].text)) return undefined;
  return { format, ...fileFormats[format], compression } as FileKind;
}

/** How to read a file that was written with these options. undefined: it isn't CSV. */
export function dialectOf(kind: FileKind, options: CsvWriting = {}): CsvDialect | undefined {
  if (!kind.text || kind.delimiter === undefined) return undefined;
  const { delimiter = kind.delimiter, quote = '"', null: nothing = '', formulas } = options;
  return { delimiter, quote, null: nothing, escaped: formulas !== 'keep' };
}

/** The options of a CSV file that its reader must know. */
export type CsvWriting = Pick<TableOptions, 'delimiter' | 'quote' | 'null' | 'formulas'>;

/** Whether each line of a file is a row as JSON, with all its fields. */
export function holdsRows(path: string): boolean {
  const kind = fileKindOf(path);
  return kind?.text === true && kind.delimiter === undefined;
}

/** All endings in words, for help and errors. With `text`, only those of text, which can also be read as seeds. */
export function endingsInWords(text: boolean = false): string {
  const all: readonly FileFormat[] = formatNames.map((name) => fileFormats[name]);
  const endingsOf = (isText: boolean): readonly string[] => all.filter((one) => one.text === isText).flatMap(({ endings }) => endings);
  return [`${endingsOf(true).join(', ')} (each also with .gz or .zst)`, ...(text ? [] : endingsOf(false))].join(', ');
}
