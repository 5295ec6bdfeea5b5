import type { OpenFile } from '../../sinks/index.ts';
import type { FlowFolder } from './FlowFolder.ts';

export interface StoredRow {
  readonly row: object;
  /** Its line. Valid until the next row is read. */
  readonly bytes: Buffer;
  /** Where its line begins. */
  readonly at: number;
}

const lineFeed = 10;

/** Opens a file in a run's folder under its final or its working name. undefined: there is none. */
export function openRows(folder: FlowFolder, name: string): OpenFile | undefined {
  const file = [name, `${name}.part`].find((one) => folder.has(one));
  return file === undefined ? undefined : folder.fileSystem.open(folder.at(file), 'r');
}

/** Reads the rows of a JSONL file in a run's folder one by one, under its final or its working name. */
export async function* readRows(folder: FlowFolder, name: string): AsyncGenerator<StoredRow, void, undefined> {
  const open = openRows(folder, name);
  if (open === undefined) return;
  try {
    let block = Buffer.alloc(1 << 18);
    /** Bytes of the block that are filled, and where in the file it begins. */
    let [filled, begin] = [0, 0];
    for (;;) {
      if (filled === block.length) block = Buffer.concat([block], 2 * block.length); // a long line
      const read = await open.read(block, filled, block.length - filled, begin + filled);
      if (read === 0) return;
      filled += read;
      let start = 0;
      for (let end = block.indexOf(lineFeed); end >= 0 && end < filled; end = block.indexOf(lineFeed, start)) {
        const bytes = block.subarray(start, end);
        yield { row: JSON.parse(bytes.toString()) as object, bytes, at: begin + start };
        start = end + 1;
      }
      block.copyWithin(0, start, filled);
      filled -= start;
      begin += start;
    }
  } finally {
    open.close();
  }
}

/** Reads lines of a file by where they begin. A line is valid until the next one is read. */
export function lineReader(file: OpenFile): (at: number) => Buffer {
  let block = Buffer.alloc(1 << 12);
  return (at) => {
    for (;;) {
      const end = block.subarray(0, file.readSync(block, 0, block.length, at)).indexOf(lineFeed);
      if (end >= 0) return block.subarray(0, end);
      block = Buffer.alloc(block.length * 4);
    }
  };
}
