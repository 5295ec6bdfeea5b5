import { SinkError } from '../errors/index.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { type Fingerprint, readPart } from './fingerprint.ts';
import { DamagedUpload, type PublishTarget } from './PublishTarget.ts';
import type { LocalFile } from './readFolder.ts';
import type { PartBuffers } from './PartBuffers.ts';
import { inParallel } from './inParallel.ts';

interface UploadOptions {
  readonly fileSystem: FileSystem;
  /** Of all files together. */
  readonly buffers: PartBuffers;
  /** Parts of a file in flight. */
  readonly concurrency: number;
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

async function uploadWhole(target: PublishTarget, name: string, file: LocalFile, options: UploadOptions): Promise<void> {
  await withPart(file, 0, options, (bytes) => target.put(name, bytes, file.print));
}

async function uploadParts(target: PublishTarget, name: string, file: LocalFile, options: UploadOptions): Promise<void> {
  const upload = await target.openUpload(name, file.print);
  try {
    const missing = [...file.print.md5s.keys()].filter((part) => !upload.kept.has(part));
    options.sent(file.print.bytes - missing.reduce((sum, part) => sum + sizeOf(part, file.print), 0));
    await inParallel(missing, options.concurrency, (part) => withPart(file, part, options, (bytes) => upload.put(part, bytes)));
    await upload.complete();
  } finally {
    upload.close();
  }
}

async function withPart(
  file: LocalFile,
  part: number,
  { buffers, signal, sent, fileSystem }: UploadOptions,
  send: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  const size = sizeOf(part, file.print);
  await buffers.use(size, async (buffer) => {
    signal?.throwIfAborted();
    const bytes = await readPart(file.path, fileSystem, file.print, part, buffer).catch((error: unknown) => {
      throw sinkFailure(file.path, 'reading', error);
    });
    await send(bytes);
    sent(size);
  });
}

function sizeOf(part: number, { bytes, partBytes }: Fingerprint): number {
  return Math.min(partBytes, bytes - part * partBytes);
}
