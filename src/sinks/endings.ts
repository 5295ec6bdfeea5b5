/** A kind of file that rows can be written to. */
export interface FileKind {
  readonly format: 'jsonl' | 'csv' | 'tsv' | 'parquet' | 'duckdb' | 'sqlite';
  readonly endings: readonly string[];
  /** Text, line by line: may end in .gz or .zst too, may be appended to, and may be read as seeds. */
  readonly text: boolean;
  /** Holds several tables, so several stages of a flow may write to it. */
  readonly tables: boolean;
}

export type Format = FileKind['format'];
export type Compression = 'gzip' | 'zstd';

/** Every known ending. `openOutput` opens each for writing, `readSeeds` reads seeds. */
const fileKinds: readonly FileKind[] = [
  { format: 'jsonl', endings: ['.jsonl', '.ndjson'], text: true, tables: false },
  { format: 'csv', endings: ['.csv'], text: true, tables: false },
  { format: 'tsv', endings: ['.tsv'], text: true, tables: false },
  { format: 'parquet', endings: ['.parquet'], text: false, tables: false },
  { format: 'duckdb', endings: ['.duckdb'], text: false, tables: true },
  { format: 'sqlite', endings: ['.sqlite'], text: false, tables: true },
];

export const formatNames: readonly Format[] = fileKinds.map(({ format }) => format);

const compressions: { readonly [ending: string]: Compression } = { '.gz': 'gzip', '.zst': 'zstd' };

/** The kind that the ending of a path names, in upper or lower case. undefined for an unknown ending. */
export function fileKindOf(path: string): (FileKind & { readonly compression: Compression | undefined }) | undefined {
  const name = path.toLowerCase();
  const packed = Object.keys(compressions).find((ending) => name.endsWith(ending));
  const plain = packed === undefined ? name : name.slice(0, -packed.length);
  const kind = fileKinds.find(({ endings }) => endings.some((ending) => plain.endsWith(ending)));
  if (kind === undefined || (packed !== undefined && !kind.text)) return undefined;
  return { ...kind, compression: packed === undefined ? undefined : compressions[packed] };
}

/** Whether files of this format are written line by line. Other formats are built at the end. */
export function isText(format: Format): boolean {
  return fileKinds.some((kind) => kind.format === format && kind.text);
}

/** All endings in words, for help and errors. With `text`, only those that can be read too. */
export function endingsInWords(text: boolean = false): string {
  const wanted = fileKinds.filter((kind) => kind.text || !text);
  const plain = wanted.filter((kind) => kind.text).flatMap(({ endings }) => endings);
  const others = wanted.filter((kind) => !kind.text).flatMap(({ endings }) => endings);
  return [`${plain.join(', ')} (each also with .gz or .zst)`, ...others].join(', ');
}
