import { join } from 'node:path';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { BusyError, SinkError } from '../errors/index.ts';
import { readBlocks, sha256, hashFile, readAll } from '../files/blocks.ts';
import { type DataPackage, packageFile, parseDataPackage } from '../files/dataPackage.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { holdRun, ownFolder } from '../files/takeWatchedLock.ts';
import { resolvePath } from '../files/resolvePath.ts';

export interface PublishOptions {
  /** Publish although the dataset of another flow is there. @default false */
  readonly intoExisting?: boolean | undefined;
  /** Stops it, between two blocks of a file. The same call resumes: files that are there aren't sent again. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Called with each event. @default none */
  readonly tell?: ((event: PublishEvent) => void) | undefined;
  /** @default the disk */
  readonly fileSystem?: FileSystem | undefined;
}

export type PublishEvent =
  /** `bytes`: how many were sent, or were there already. `of`: how many there are. */
  | { readonly type: 'progress'; readonly bytes: number; readonly of: number }
  /** `kept`: the target had the file already. */
  | { readonly type: 'file'; readonly name: string; readonly bytes: number; readonly kept: boolean }
  | { readonly type: 'notice'; readonly message: string };

export interface PublishReport {
  /** Counts the publications at this target. */
  readonly version: number;
  /** The outcome of the run: `complete`, `capped`, `short`, `doubtful` or `failed`. */
  readonly outcome: string;
  /** Whether the target had this version already. */
  readonly already: boolean;
  /** Files and bytes that were uploaded, and those that the target had. */
  readonly uploaded: FileCount;
  readonly kept: FileCount;
}

interface FileCount {
  readonly files: number;
  readonly bytes: number;
}

/** What the `datapackage.json` at a target says of its version. */
interface TargetVersion {
  readonly tag: string;
  readonly flow: FlowIdentity;
  readonly version: number;
  /** Digest of the folder that was published. */
  readonly digest: string;
}

/** Tells flows apart. The digest changes with everything that decides what is requested and written. */
export type FlowIdentity = DataPackage['trawler']['flow'];

/**
 * Publishes the folder of a finished run. Each file is uploaded to `data/<digest>/`, unless it is there. Then `datapackage.json` is
 * replaced in one step. So a reader who opens it finds all files that it names, even if others publish at the same time, or if this
 * process is killed. The same call resumes.
 */
export async function publishFolder(folder: string, target: PublishTarget, options: PublishOptions = {}): Promise<PublishReport> {
  const { intoExisting = false, signal, tell = () => undefined, fileSystem = nodeFileSystem } = options;
  // The lock keeps runs out. A copy of a run's folder may have no folder for the lock; no run uses it.
  const hasLock = fileSystem.stat(join(folder, ownFolder))?.kind === 'folder';
  const lock = hasLock ? await holdRun(folder, fileSystem) : undefined;
  try {
    const finished = readFolder(folder, fileSystem);
    const { files, digest, dataPackage } = finished;
    const { outcome, flow } = dataPackage.trawler;
    const current = await checkTarget(target, flow, intoExisting);
    const already = current?.digest === digest;
    const version = (current?.version ?? 0) + (already ? 0 : 1);
    const uploaded = await upload(target, files, { signal, tell, fileSystem });
    if (!already && !(await target.swap(packageFile, publishedText(finished, version), current?.tag))) {
      // Our write may have succeeded although its response was lost.
      if ((await versionAt(target))?.digest !== digest) throw new BusyError(`${target.url}: ${overtaken}`);
    }
    if (!target.knowsConditions) tell({ type: 'notice', message: unconditional });
    const kept = files.filter((file) => !uploaded.includes(file));
    return { version, outcome, already, uploaded: countOf(uploaded), kept: countOf(kept) };
  } finally {
    lock?.release();
  }
}

const overtaken = 'another publisher was first. Readers see what it published, whole. Run the same command to publish yours after it';
const unconditional =
  'This server has no conditional writes. Readers still find whole datasets only, but of two publishers at the same time either one may ' +
  'win: run one at a time';

/** Throws a SinkError if the target has a dataset of another flow, even of one with the same name. Returns what is there. */
export async function checkTarget(target: PublishTarget, flow: FlowIdentity, intoExisting: boolean): Promise<TargetVersion | undefined> {
  const current = await versionAt(target);
  if (current === undefined || intoExisting) return current;
  const { name, digest = flow.digest } = current.flow;
  if (name === flow.name && digest === (flow.digest ?? digest)) return current;
  const changed = `another flow '${name}', or of this one before it was changed: its stages aren't the same`;
  const whose = name === flow.name ? changed : `the flow '${name}'`;
  throw new SinkError(`${target.url} has the dataset of ${whose}. Choose another prefix, or say intoExisting: true`);
}

async function versionAt(target: PublishTarget): Promise<TargetVersion | undefined> {
  const found = await target.read(packageFile);
  if (found === undefined) return undefined;
  const { flow, publication } =
    (parsedJson(found.text) as { readonly trawler?: { flow: FlowIdentity; publication?: TargetVersion } })?.trawler ?? {};
  if (flow !== undefined && publication !== undefined) return { ...publication, flow, tag: found.tag };
  throw new SinkError(`${target.url} has a ${packageFile} that trawler publish didn't write, and doesn't replace. Choose another prefix`);
}

/** The digest is in the name. So a published file never changes, and an update sends only files that have changed. */
const nameFor = ({ name, sha256 }: LocalFile): string => `data/${sha256}/${name}`;

function publishedText({ dataPackage, files, digest }: FinishedFolder, version: number): string {
  const placed = new Map(files.map((file) => [file.name, nameFor(file)]));
  const publication = { version, digest, publishedAt: new Date().toISOString(), report: placed.get('report.html') };
  const resources = dataPackage.resources.map((resource) => ({ ...resource, path: placed.get(resource.path)! }));
  return `${JSON.stringify({ ...dataPackage, resources, trawler: { ...dataPackage.trawler, publication } }, undefined, 2)}\n`;
}

interface UploadSettings {
  readonly signal: AbortSignal | undefined;
  readonly tell: (event: PublishEvent) => void;
  readonly fileSystem: FileSystem;
}

/** How often a file is uploaded if it arrives damaged. */
const attempts = 3;

/** Uploads the files that the target doesn't have, and returns them. Small ones go four at a time. */
async function upload(target: PublishTarget, files: readonly LocalFile[], settings: UploadSettings): Promise<readonly LocalFile[]> {
  const { signal, tell } = settings;
  const of = countOf(files).bytes;
  const uploaded: LocalFile[] = [];
  let bytes = 0;
  const sent = (more: number): void => tell({ type: 'progress', bytes: (bytes += more), of });
  const uploadOne = async (file: LocalFile): Promise<void> => {
    signal?.throwIfAborted();
    const kept = await target.holds(nameFor(file), file);
    for (let left = attempts; !kept && !(await target.put(nameFor(file), contentOf(file, settings, sent), file));) {
      if (--left > 0) continue;
      const what = `${file.name} arrived damaged ${attempts} times. The server changes what is written, or a proxy on the way does`;
      throw new SinkError(`${target.url}: ${what}. Readers see nothing of it`);
    }
    if (kept) sent(file.bytes);
    else uploaded.push(file);
    tell({ type: 'file', name: file.name, bytes: file.bytes, kept });
  };
  const isLarge = (file: LocalFile): boolean => file.bytes > 8 * 2 ** 20;
  let failure: unknown;
  const work = async (some: Iterable<LocalFile>): Promise<void> => {
    for (const file of some) if (failure === undefined) await uploadOne(file).catch((error: unknown) => (failure ??= error));
  };
  const small = files.filter((file) => !isLarge(file)).values();
  await Promise.all([1, 2, 3, 4].map(() => work(small)));
  await work(files.filter(isLarge));
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure;
  return uploaded;
}

/** The bytes of a file. Throws at the end if their digest isn't the one in `datapackage.json`, so the upload fails. */
async function* contentOf(file: LocalFile, settings: UploadSettings, sent: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { fileSystem, signal } = settings;
  const open = fileSystem.open(file.path, 'r');
  try {
    const hash = sha256();
    for await (const block of readBlocks(open, file.bytes)) {
      signal?.throwIfAborted();
      hash.update(block);
      yield block;
      sent(block.length);
    }
    if (hash.digest('hex') !== file.sha256)
      throw new SinkError(`${file.path} is damaged: its SHA-256 isn't the one in ${packageFile}. Nothing was published`);
  } catch (error) {
    throw sinkFailure(file.path, 'reading', error);
  } finally {
    open.close();
  }
}

function countOf(files: readonly LocalFile[]): FileCount {
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const reportName = 'report.html';

/** The folder of a finished run. */
interface FinishedFolder {
  readonly dataPackage: DataPackage;
  readonly files: readonly LocalFile[];
  /** Digest of all its files. */
  readonly digest: string;
}

/** Reads which files a finished run has. Throws a SinkError that says what is wrong. */
function readFolder(folder: string, fileSystem: FileSystem): FinishedFolder {
  const { dataPackage, text } = readPackage(folder, fileSystem);
  const named = new Map(dataPackage.resources.map((resource) => [resource.path, resource]));
  if (!named.has(reportName) && fileSystem.stat(join(folder, reportName)) !== undefined)
    named.set(reportName, { path: reportName, mediatype: 'text/html' });
  const digest = sha256().update(text);
  const files: LocalFile[] = [];
  for (const { path: name, hash, mediatype: mediaType } of named.values()) {
    const path = resolvePath(name, folder, fileSystem);
    const found = fileSystem.stat(path);
    if (found?.kind !== 'file') throw new SinkError(`${path} is missing, though ${packageFile} names it. ${nothingPublished}`);
    const file = { name, path, bytes: found.size, sha256: hash?.slice('sha256:'.length) ?? hashFile(path, fileSystem).sha256, mediaType };
    digest.update(`${name}\0${file.sha256}\0`);
    files.push(file);
  }
  return { dataPackage, files, digest: digest.digest('hex') };
}

function readPackage(folder: string, fileSystem: FileSystem): { readonly dataPackage: DataPackage; readonly text: string } {
  const path = join(folder, packageFile);
  if (fileSystem.stat(folder) === undefined) throw new SinkError(`There is no folder ${folder}. ${nothingPublished}`);
  if (fileSystem.stat(path) === undefined)
    throw new SinkError(`${folder} is not a finished run: it has no ${packageFile}. Finish the run first. ${nothingPublished}`);
  try {
    const text = readAll(path, fileSystem).toString();
    const dataPackage = parseDataPackage(text);
    if (dataPackage !== undefined && dataPackage.trawler.outcome !== 'interrupted') return { dataPackage, text };
  } catch (error) {
    throw sinkFailure(path, 'reading', error);
  }
  throw new SinkError(`${path} was not written by a finished run of trawler, or was changed. ${nothingPublished}`);
}

const nothingPublished = 'Nothing was published';

/** A file of a finished folder. */
export interface LocalFile {
  /** The path in `datapackage.json`. */
  readonly name: string;
  /** The path on the disk. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string | undefined;
}

/** Where a dataset is published: a bucket or a folder. Names are relative, with slashes. */
export interface PublishTarget {
  /** For messages. */
  readonly url: string;
  /** Whether the server has conditional writes. If `swap` finds that it hasn't, it reads and writes in two steps. */
  readonly knowsConditions: boolean;
  /** Reads a small text, and its tag, which changes when the text changes. undefined if there is none. */
  read(name: string): Promise<{ readonly text: string; readonly tag: string } | undefined>;
  /**
   * Replaces the text with the tag `over`, or writes a new one if `over` is undefined. Returns false and writes nothing if another text
   * is there. With `knowsConditions` this is one step: of two writers at the same time, only one gets true.
   */
  swap(name: string, text: string, over: string | undefined): Promise<boolean>;
  /** Whether this file is there, and recent enough that no rule of the bucket is about to remove it. */
  holds(name: string, file: LocalFile): Promise<boolean>;
  /** Writes a file, piece by piece. It is there as a whole or not at all. false: it arrived damaged. */
  put(name: string, content: AsyncIterable<Uint8Array>, file: LocalFile): Promise<boolean>;
  close(): void;
}
