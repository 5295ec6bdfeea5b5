import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { from, lastValueFrom } from 'rxjs';
import { jsonOrText } from '../../../operators/kit/parsedJson.ts';
import { readBlocks } from '../../files/blocks.ts';
import { tryOnDisk } from '../../files/FileSystem.ts';
import { nodeFileSystem, toParquet } from '../../sinks/index.ts';
import { csvCells } from '../../sinks/table/csvCells.ts';
import { cellOf, type SourceColumn } from './TableSpec.ts';

/** How rows are taken away: as a file, or by programs that have the address of a view. */
export const exportFormats = {
  csv: { type: 'text/csv; charset=utf-8', write: csvOf },
  jsonl: { type: 'application/jsonl; charset=utf-8', write: jsonlOf },
  parquet: { type: 'application/vnd.apache.parquet', write: parquetOf },
  json: { type: 'application/json; charset=utf-8', write: jsonOf },
} as const;

export type ExportFormat = keyof typeof exportFormats;

type Rows = AsyncIterable<object>;
type Pieces = AsyncGenerator<string | Uint8Array, void, undefined>;

const pieceLength = 1 << 16;

/** Texts, joined to pieces that are worth sending. */
async function* joined(texts: AsyncIterable<string>): Pieces {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const csv = csvCells({});

/** What a spreadsheet may run gets an apostrophe. Empty text is written like nothing, because on the page they look alike. */
function csvOf(rows: Rows, columns: readonly SourceColumn[]): Pieces {
  const lineOf = (cells: readonly (string | null)[]): string => csv.line(cells.map((cell) => (cell === '' ? null : cell)), []); // prettier-ignore
  return joined(
    (async function* () {
      yield lineOf(columns.map(({ name }) => name));
      for await (const row of rows) yield lineOf(columns.map((column) => cellOf(row, column)));
    })(),
  );
}

function jsonlOf(rows: Rows): Pieces {
  return joined(
    (async function* () {
      for await (const row of rows) yield `${JSON.stringify(row)}\n`;
    })(),
  );
}

function jsonOf(rows: Rows): Pieces {
  return joined(
    (async function* () {
      let before = '[\n';
      for await (const row of rows) {
        yield before + JSON.stringify(row);
        before = ',\n';
      }
      yield before === '[\n' ? '[]\n' : '\n]\n';
    })(),
  );
}

/** Parquet has its index at the end, so it is made as a file that only this user can read, and that is gone afterwards. */
async function* parquetOf(rows: Rows, columns: readonly SourceColumn[]): Pieces {
  const path = join(tmpdir(), `trawler-${randomUUID()}.parquet`);
  try {
    await lastValueFrom(from(typedRows(rows, columns)).pipe(toParquet(path, { mode: 0o600 })));
  } catch (error) {
    tryOnDisk(() => nodeFileSystem.unlink(`${path}.part`));
    throw error;
  }
  const file = nodeFileSystem.open(path, 'r');
  nodeFileSystem.unlink(path);
  try {
    for await (const block of readBlocks(file)) yield Uint8Array.from(block); // the block itself is used again
  } finally {
    file.close();
  }
}

/** Cells of files without types are text: numbers, lists and objects become what they are documented as. */
async function* typedRows(rows: Rows, columns: readonly SourceColumn[]): AsyncGenerator<object, void, undefined> {
  const known = columns.filter(({ type }) => type === 'integer' || type === 'number' || type === 'boolean' || type === 'json');
  for await (const row of rows) {
    const cells = row as { readonly [name: string]: unknown };
    const texts = known.filter(({ name }) => Object.hasOwn(row, name) && typeof cells[name] === 'string');
    yield { ...row, ...Object.fromEntries(texts.map(({ name }) => [name, jsonOrText(cells[name] as string)])) };
  }
}
