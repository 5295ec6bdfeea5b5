import { on } from 'node:events';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readBlocks } from '../../files/blocks.ts';
import { nodeFileSystem, type OpenFile } from '../../sinks/index.ts';
import { builtFile } from '../builtFile.ts';
import type { FoundRows, WantedRows } from './findRows.ts';
import { scanPart, type LinesPart } from './scanPart.ts';
import type { ThreadNews, ThreadWork } from './scanThread.ts';
import { DamagedLine } from './TableSpec.ts';

const leastPart = 32 << 20; // a smaller one is read before a thread has started
const lineFeed = 10;

export interface ScanFileOptions {
  /** Is told which share of the file was read. */
  readonly onRead?: (share: number) => void;
  /** Only the lines in so many bytes. @default all */
  readonly bytes?: number;
  /** Parts that are read at the same time. @default one for each processor, if the file is large */
  readonly parts?: number;
}

/**
 * Finds the rows of a view in a file of JSONL, in its order. This thread reads the first part of a large file, so the first rows are
 * there at once. Each of the other parts has a thread of its own.
 */
export async function* scanFile(
  path: string,
  wanted: WantedRows,
  { onRead, ...options }: ScanFileOptions = {},
): AsyncGenerator<FoundRows, void, undefined> {
  const [first, ...others] = await partsOf(path, wanted.view.rows === undefined ? options : { ...options, parts: 1 }); // a part doesn't know its rows' positions
  const size = (others.at(-1) ?? first).to;
  const read = [0];
  const tell = (part: number, news: ThreadNews): void => {
    if ('bytes' in news) read[part] = news.bytes;
    onRead?.(read.reduce((sum, bytes) => sum + bytes) / size);
  };
  const threads = others.map((part) => new Worker(builtFile('scanThread.js'), { workerData: { part, wanted } satisfies ThreadWork }));
  try {
    const told = threads.map((thread, at) => {
      thread.on('message', (news: ThreadNews) => tell(at + 1, news));
      return on(thread, 'message', { close: ['exit'] }) as AsyncIterable<[ThreadNews]>;
    });
    let before = 0; // lines of the parts above
    for await (const found of scanPart(first, wanted)) {
      tell(0, found);
      before = found.lines;
      yield found;
    }
    for (const messages of told) {
      let lines = 0;
      for await (const [news] of messages) {
        if ('damaged' in news) throw new DamagedLine(basename(path), before + news.damaged.n, news.damaged.fault);
        lines = news.lines;
        yield moved(news, before);
      }
      before += lines;
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

/** The file in parts of about one size, each of whole lines. */
async function partsOf(path: string, { bytes, parts }: Omit<ScanFileOptions, 'onRead'>): Promise<[LinesPart, ...LinesPart[]]> {
  const file = nodeFileSystem.open(path, 'r');
  try {
    const size = bytes ?? file.size();
    const count = parts ?? Math.min(availableParallelism(), Math.ceil(size / leastPart));
    const starts = [0];
    for (let at = 1; at < count; at += 1) starts.push(await lineStart(file, Math.floor((size * at) / count), size));
    const [, ...ends] = [...starts, size];
    return ends.map((to, at) => ({ path, from: starts[at]!, to })) as [LinesPart, ...LinesPart[]];
  } finally {
    file.close();
  }
}

/** Where the first line begins that follows a byte. */
async function lineStart(file: OpenFile, byte: number, size: number): Promise<number> {
  let at = byte;
  for await (const block of readBlocks(file, size, byte)) {
    const end = block.indexOf(lineFeed);
    if (end >= 0) return at + end + 1;
    at += block.length;
  }
  return size;
}

/** Rows of a part as rows of the file. */
function moved({ numbers, shown, sorted, ...found }: FoundRows, by: number): FoundRows {
  const moveRow = <Row extends { readonly n: number }>(row: Row): Row => ({ ...row, n: row.n + by });
  return { ...found, numbers: numbers.map((n) => n + by), shown: shown.map(moveRow), sorted: sorted.map(moveRow) };
}
