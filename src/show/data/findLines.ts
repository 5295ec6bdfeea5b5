import type { WantedRows } from './findRows.ts';
import { JsonLine } from './JsonLine.ts';
import { lineBlocks, type ReadNext } from './lineBlocks.ts';
import { LinePiece } from './LinePiece.ts';
import { lineSearch } from './lineSearch.ts';

const pieceBytes = 1 << 16; // text that stays in the cache of a processor
const lineFeed = 10;

/** Where lines come from. */
export interface LineSource {
  /** The name of the file, for messages. */
  readonly file: string;
  readonly bytes: ReadNext;
  /** Where the first of these bytes is in the file. @default 0 */
  readonly from?: number;
  /** Is told how many bytes and lines were read. */
  readonly onRead?: (bytes: number, lines: number) => void;
}

/**
 * The lines of JSONL that may fit a view, in their order. Every line that fits is among them. Most others are never parsed, nor even
 * seen: the bytes are searched for what the view wants.
 */
export async function* findLines(
  { file, bytes, from = 0, onRead }: LineSource,
  { view, columns }: Pick<WantedRows, 'view' | 'columns'>,
): AsyncGenerator<Iterable<JsonLine>, void, undefined> {
  const wanted = lineSearch(view, columns);
  let [lines, at] = [0, from];
  const inPiece = function* (piece: LinePiece): Generator<JsonLine, void, undefined> {
    const { text } = piece;
    for (let start = 0; start < text.length;) {
      let end = text.indexOf('\n', start);
      if (wanted !== undefined) {
        // A letter may be written as its number, which the search can't know.
        const near = Math.min(wanted.next(piece, start), piece.escapes.next(piece, start));
        for (; end >= 0 && end < near; end = text.indexOf('\n', start)) [start, lines] = [end + 1, lines + 1];
        if (end < 0) return;
      }
      if (end > start + 1) yield new JsonLine(lines, piece, start, end);
      [start, lines] = [end + 1, lines + 1];
    }
  };
  const inBlock = function* (block: Buffer): Generator<JsonLine, void, undefined> {
    for (let start = 0; start < block.length;) {
      const near = block.lastIndexOf(lineFeed, start + pieceBytes - 1);
      const end = (near < start ? block.indexOf(lineFeed, start) : near) + 1;
      yield* inPiece(new LinePiece(file, block.subarray(start, end), at + start));
      start = end;
    }
    at += block.length;
    onRead?.(block.length, lines);
  };
  for await (const block of lineBlocks(bytes)) yield inBlock(block);
}
