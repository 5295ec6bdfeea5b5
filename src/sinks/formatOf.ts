import type { OutputOptions } from './OutputOptions.ts';

type Format = NonNullable<OutputOptions['format']>;

const formats: { readonly [ending: string]: Format } = { jsonl: 'jsonl', ndjson: 'jsonl', csv: 'csv', tsv: 'tsv', parquet: 'parquet' };

/** The format that the ending of `path` names, a `.gz` behind it left out; undefined for other endings. */
export function formatOf(path: string): Format | undefined {
  return formats[/\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
}
