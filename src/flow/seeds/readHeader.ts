import { closeSync, openSync, readSync } from 'node:fs';

const most = 1 << 20;

/** The columns that a seed file names: its heading, or the fields of its first object; reads no more than 1 MiB. */
export function readHeader(path: string): readonly string[] {
  const bytes = Buffer.alloc(most);
  const file = openSync(path, 'r');
  let read: number;
  try {
    read = readSync(file, bytes, 0, most, 0);
  } finally {
    closeSync(file);
  }
  const text = bytes.toString('utf8', 0, read).replace(/^\uFEFF/, '');
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  if (/\.(jsonl|ndjson)$/i.test(path)) return Object.keys(JSON.parse(line === '' ? '{}' : line) as object);
  return headings(text, /\.tsv$/i.test(path) ? '\t' : ',');
}

/** The cells of the first line; fast-csv gives them later than a check can wait. */
function headings(text: string, delimiter: string): readonly string[] {
  const cells: string[] = [];
  const cell = delimiter === '\t' ? /"((?:[^"]|"")*)"|([^\t\r\n]*)/y : /"((?:[^"]|"")*)"|([^,\r\n]*)/y;
  for (let at = 0; ;) {
    cell.lastIndex = at;
    const found = cell.exec(text)!;
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    at += found[0].length;
    if (text[at] !== delimiter) return cells;
    at += 1;
  }
}
