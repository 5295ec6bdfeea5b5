import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { parseStream } from 'fast-csv';
import { FlowError } from '../../errors/index.ts';
import { withHead } from './withHead.ts';

/**
 * The rows of a seed file, one at a time, so that memory doesn't grow with it. `.csv` and `.tsv` have a heading, `.jsonl`
 * and `.ndjson` an object a line. `-` is standard input, in whichever of these its first line is.
 */
export async function* readSeeds(path: string, stdin: NodeJS.ReadableStream = process.stdin): AsyncGenerator<object, void, undefined> {
  const name = path === '-' ? 'standard input' : basename(path);
  const source = path === '-' ? await withHead(stdin) : { stream: createReadStream(path), head: '' };
  const format = path === '-' ? formatOfHead(source.head) : (/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '');
  try {
    if (format === 'jsonl' || format === 'ndjson') yield* jsonLines(source.stream, name);
    else yield* table(source.stream, format === 'tsv' ? '\t' : ',');
  } catch (error) {
    if (error instanceof FlowError) throw error;
    throw new FlowError(`${name}: can't be read as seeds: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    if (path !== '-') (source.stream as Readable).destroy();
  }
}

function formatOfHead(head: string): string {
  const line = head.replace(/^\uFEFF/, '').trimStart();
  if (line.startsWith('{')) return 'jsonl';
  return (line.split('\n')[0] ?? '').includes('\t') ? 'tsv' : 'csv';
}

async function* table(stream: NodeJS.ReadableStream, delimiter: string): AsyncGenerator<object, void, undefined> {
  const rows = parseStream(stream, { headers: true, delimiter, ignoreEmpty: true });
  stream.on('error', (error) => rows.destroy(error as Error));
  for await (const row of rows) yield row as object;
}

async function* jsonLines(stream: NodeJS.ReadableStream, name: string): AsyncGenerator<object, void, undefined> {
  let number = 0;
  let failure: Error | undefined;
  stream.on('error', (error) => (failure = error as Error));
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    number += 1;
    const text = number === 1 ? line.replace(/^\uFEFF/, '') : line;
    if (text.trim() === '') continue;
    yield parseRow(text, `${name}:${number}`);
  }
  if (failure !== undefined) throw failure;
}

function parseRow(text: string, place: string): object {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch (error) {
    throw new FlowError(`${place}: isn't JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw new FlowError(`${place}: a seed is an object, such as {"city": "Oslo"}`);
  return row;
}
