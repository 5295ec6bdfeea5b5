import { SinkError } from '../errors/index.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { sinkFailure } from '../files/sinkFailure.ts';
import { type Fingerprint, readPart } from './fingerprint.ts';
import { DamagedUpload, type PublishTarget } from './PublishTarget.ts';
import type { LocalFile } from './readFolder.ts';
import type { Slots } from './Slots.ts';

interface UploadOptions {
  readonly fileSystem: FileSystem;
  /** Limits the parts in memory, of all files together. */
  readonly slots: Slots;
  readonly signal: AbortSignal | undefined;
  /** Bytes that are there now and weren't before. */
  readonly sent: (bytes: number) => void;
}

/** How often a file is uploaded that arrives damaged. */
const attempts = 3;

/** Brings a file to its target, and returns when the target has exactly this file. What is there already isn't sent again. */
export async function uploadFile(target: PublishTarget, name: string, file: LocalFile, options: UploadOptions): Promise<void> {
  for (let attempt = 0; attempt <= attempts; attempt++) {
    if (await target.holds(name, file.print)) return;
    if (attempt === attempts) break;
    try {
      await (file.print.md5s.length === 1 ? uploadWhole : uploadParts)(target, name, file, options);
    } catch (error) {
      if (!(error instanceof DamagedUpload)) throw error;
    }
  }
  throw new SinkError(
    `${target.url}: ${file.name} arrived damaged ${attempts} times. The server changes what is written, or a proxy on the way does. Readers see nothing of it`,
  );
}

async function uploadWhole(
  target: PublishTarget,
  name: string,
  file: LocalFile,
  { slots, signal, sent, fileSystem }: UploadOptions,
): Promise<void> {
  await slots.run(async () => {
    signal?.throwIfAborted();
    await target.put(name, await partOf(file, 0, fileSystem), file.print);
    sent(file.print.bytes);
  });
}

async function uploadParts(
  target: PublishTarget,
  name: string,
  file: LocalFile,
  { slots, signal, sent, fileSystem }: UploadOptions,
): Promise<void> {
  const upload = await target.openUpload(name, file.print);
  try {
    const missing = [...file.print.md5s.keys()].filter((part) => !upload.kept.has(part));
    sent(file.print.bytes - missing.reduce((sum, part) => sum + sizeOf(part, file.print), 0));
    await slots.all(missing, async (part) => {
      signal?.throwIfAborted();
      const bytes = await partOf(file, part, fileSystem);
      await upload.put(part, bytes);
      sent(bytes.length);
    });
    await upload.complete();
  } finally {
    upload.close();
  }
}

function sizeOf(part: number, { bytes, partBytes }: Fingerprint): number {
  return Math.min(partBytes, bytes - part * partBytes);
}

async function partOf(file: LocalFile, part: number, fileSystem: FileSystem): Promise<Buffer> {
  try {
    return await readPart(file.path, fileSystem, file.print, part);
  } catch (error) {
    throw sinkFailure(file.path, 'reading', error);
  }
}
