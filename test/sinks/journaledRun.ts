import { dirname } from 'node:path';
import type { FileSystem, OpenFile } from '../../src/files/FileSystem.ts';
import { openOutput, type OutputOptions, type OutputPosition } from '../../src/sinks/index.ts';

interface Entry extends OutputPosition {
  /** The batch to go on with. */
  readonly next: number;
}

/** Ways to get it wrong. */
export type Broken = 'journal before data' | 'forgets the position';

/**
 * The smallest writer that promises exactly once: a batch of rows, a commit, a line in a journal. It begins by finding
 * out how far an earlier run came; running it again after any crash ends with the same file.
 */
export async function journaledRun(
  fileSystem: FileSystem,
  path: string,
  batches: readonly (readonly unknown[])[],
  options: OutputOptions,
  broken?: Broken,
): Promise<void> {
  const journal = await openJournal(fileSystem, `${dirname(path)}/journal`);
  const last = journal.entries.at(-1) ?? { bytes: 0, rows: 0, next: 0 };
  const resume = broken === 'forgets the position' ? { ...last, bytes: Math.max(0, sizeOf(fileSystem, path)) } : last;
  const output = openOutput(path, { ...options, fileSystem, resume, lock: false });
  await output.commit();
  await journal.cutBack();
  for (let next = last.next; next < batches.length; next++) {
    for (const row of batches[next]!) output.write(row);
    if (broken === 'journal before data') {
      await output.flush();
      const { size } = fileSystem.stat(`${path}.part`)!;
      await journal.add({ bytes: size, rows: output.rows, next: next + 1 });
      await output.commit();
      continue;
    }
    await journal.add({ ...(await output.commit()), next: next + 1 });
  }
  await output.seal();
  await output.finish();
}

function sizeOf(fileSystem: FileSystem, path: string): number {
  return fileSystem.stat(`${path}.part`)?.size ?? fileSystem.stat(path)?.size ?? 0;
}

async function openJournal(fileSystem: FileSystem, name: string) {
  fileSystem.makeFolder(dirname(name));
  const entries: Entry[] = [];
  let end = 0;
  let file: OpenFile;
  if (fileSystem.stat(name) === undefined) {
    file = fileSystem.open(name, 'wx');
    await fileSystem.syncFolder(dirname(name));
    await fileSystem.syncFolder(dirname(dirname(name)));
  } else {
    file = fileSystem.open(name, 'r+');
    const bytes = Buffer.alloc(file.size());
    file.readSync(bytes, 0, bytes.length, 0);
    for (const line of bytes.toString('latin1').split('\n').slice(0, -1)) {
      const entry = parse(line);
      if (entry === undefined) break;
      entries.push(entry);
      end += line.length + 1;
    }
  }
  return {
    entries,
    async cutBack(): Promise<void> {
      if (file.size() > end) file.truncate(end);
      await file.datasync();
    },
    async add(entry: Entry): Promise<void> {
      const text = JSON.stringify(entry);
      const bytes = Buffer.from(`${text}#${sum(text)}\n`);
      end += await file.write(bytes, 0, bytes.length, end);
      await file.datasync();
    },
  };
}

function parse(line: string): Entry | undefined {
  const [text, check] = line.split('#');
  return text !== undefined && check === String(sum(text)) ? (JSON.parse(text) as Entry) : undefined;
}

function sum(text: string): number {
  let hash = 7;
  for (const char of text) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) | 0;
  return hash;
}
