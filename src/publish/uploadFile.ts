import { SinkError } from '../errors/index.ts';
import { readBlocks, sha256 } from '../files/blocks.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { DamagedUpload, type PublishTarget } from './PublishTarget.ts';
import type { LocalFile } from './readFolder.ts';

interface UploadOptions {
  readonly fileSystem: FileSystem;
  readonly signal: AbortSignal | undefined;
  /** Is told how many more bytes were sent. */
  readonly sent: (bytes: number) => void;
}

/** How often a file is uploaded that arrives damaged. */
const attempts = 3;

/** Brings a file to its target, and returns when the target has exactly this file. If it is there already, it isn't sent again. */
export async function uploadFile(target: PublishTarget, name: string, file: LocalFile, options: UploadOptions): Promise<void> {
  for (let attempt = 0; attempt <= attempts; attempt++) {
    if (await target.holds(name, file.print)) return;
    if (attempt === attempts) break;
    try {
      await target.put(name, contentOf(file, options), file.print);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof DamagedUpload)) throw error;
    }
  }
  throw new SinkError(
    `${target.url}: ${file.name} arrived damaged ${attempts} times. The server changes what is written, or a proxy on the way does. Readers see nothing of it`,
  );
}

/** The bytes of a file. Throws before the end if they aren't those of its fingerprint. */
async function* contentOf({ path, print }: LocalFile, { fileSystem, signal, sent }: UploadOptions): AsyncGenerator<Uint8Array> {
  const file = fileSystem.open(path, 'r');
  try {
    const hash = sha256();
    for await (const block of readBlocks(file, print.bytes)) {
      signal?.throwIfAborted();
      hash.update(block);
      yield block;
      sent(block.length);
    }
    if (hash.digest('hex') !== print.sha256) throw new Error('it changed while it was published');
  } catch (error) {
    throw sinkFailure(path, 'reading', error);
  } finally {
    file.close();
  }
}
