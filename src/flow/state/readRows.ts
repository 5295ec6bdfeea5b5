import type { FlowFolder } from './FlowFolder.ts';

export interface StoredRow {
  readonly row: object;
  readonly text: string;
  /** Where its line begins. */
  readonly at: number;
}

/** The rows of a JSONL file in a run's folder, one at a time, under whichever of its names it is there. */
export async function* readRows(folder: FlowFolder, name: string): AsyncGenerator<StoredRow, void, undefined> {
  const file = [name, `${name}.part`].find((one) => folder.has(one));
  if (file === undefined) return;
  const open = folder.fileSystem.open(folder.at(file), 'r');
  try {
    const block = Buffer.alloc(1 << 18);
    let rest: Buffer = Buffer.alloc(0);
    let begin = 0;
    for (let at = 0; ;) {
      const read = await open.read(block, 0, block.length, at);
      if (read === 0) return;
      at += read;
      let bytes = Buffer.concat([rest, block.subarray(0, read)]);
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
        const text = bytes.toString('utf8', 0, end);
        yield { row: JSON.parse(text) as object, text, at: begin };
        begin += end + 1;
        bytes = bytes.subarray(end + 1);
      }
      rest = bytes;
    }
  } finally {
    open.close();
  }
}
