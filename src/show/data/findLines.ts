import { basename } from 'node:path';
import { nodeFileSystem } from '../../sinks/index.ts';
import { JsonLine, LinePiece } from './JsonLine.ts';
import { lineBlocks } from './lineBlocks.ts';
import { linePattern } from './linePattern.ts';
import type { TableView } from './TableView.ts';

const pieceBytes = 1 << 16; // text that stays in the cache of a processor
const lineFeed = 10;

interface FindOptions {
  /** Is told which share of the file was read. */
  readonly onRead?: (share: number) => void;
  /** Only so many lines. @default all */
  readonly lines?: number;
}

/**
 * The lines of a file of JSONL that may fit a view, in its order. Every line that fits is among them. Most others are never parsed,
 * nor even seen: the bytes of the file are searched for what the view wants.
 */
export async function* findLines(
  path: string,
  view: TableView,
  { onRead, lines: most = Infinity }: FindOptions = {},
): AsyncGenerator<Iterable<JsonLine>, void, undefined> {
  const file = nodeFileSystem.open(path, 'r');
  const pattern = linePattern(view);
  let lines = 0;
  const inPiece = function* (piece: LinePiece): Generator<JsonLine, void, undefined> {
    const { text } = piece;
    // A letter may be written as its number, which the pattern can't know.
    const wanted =
      pattern !== undefined && piece.escapes.next(piece, 0) < text.length ? new RegExp(`${pattern.source}|\\\\u`, pattern.flags) : pattern;
    for (let start = 0; start < text.length && lines < most;) {
      let end = text.indexOf('\n', start);
      if (wanted !== undefined) {
        wanted.lastIndex = start;
        const at = wanted.exec(text)?.index ?? text.length;
        for (; end >= 0 && end < at; end = text.indexOf('\n', start)) [start, lines] = [end + 1, lines + 1];
        if (end < 0 || lines >= most) return;
      }
      if (end > start + 1) yield new JsonLine(lines, piece, start, end);
      [start, lines] = [end + 1, lines + 1];
    }
  };
  const size = file.size();
  let read = 0;
  try {
    for await (const block of lineBlocks(file)) {
      for (let start = 0; start < block.length;) {
        const near = block.lastIndexOf(lineFeed, start + pieceBytes - 1);
        const end = (near < start ? block.indexOf(lineFeed, start) : near) + 1;
        yield inPiece(new LinePiece(basename(path), block.subarray(start, end)));
        start = end;
      }
      read += block.length;
      onRead?.(read / size);
      if (lines >= most) return;
    }
  } finally {
    file.close();
  }
}
