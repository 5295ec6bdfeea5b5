import { join } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { readAll, sha256 } from '../files/blocks.ts';
import { packageFile, parseDataPackage, type DataPackage } from '../files/dataPackage.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { holdRun, ownFolder } from '../files/takeWatchedLock.ts';
import { resolvePath } from '../files/resolvePath.ts';
import { fingerprint, type Fingerprint } from './fingerprint.ts';

const reportName = 'report.html';

export interface LocalFile {
  /** As `datapackage.json` names it. */
  readonly name: string;
  /** On the disk. */
  readonly path: string;
  readonly print: Fingerprint;
}

/** The folder of a finished run, whose files are as `datapackage.json` says. */
export interface FinishedFolder {
  readonly dataPackage: DataPackage;
  readonly files: readonly LocalFile[];
  /** Of all that is in it. */
  readonly digest: string;
}

interface ReadFolderOptions {
  readonly fileSystem: FileSystem;
  readonly partBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Reads all files of a finished run and compares their hashes. Throws a SinkError that says what isn't right. */
export async function readFolder(folder: string, { fileSystem, partBytes, signal }: ReadFolderOptions): Promise<FinishedFolder> {
  const { dataPackage, text } = readPackage(folder, fileSystem);
  const named = new Map(dataPackage.resources.map((resource) => [resource.path, resource]));
  if (!named.has(reportName) && fileSystem.stat(join(folder, reportName)) !== undefined)
    named.set(reportName, { path: reportName, mediatype: 'text/html' });
  const digest = sha256().update(text);
  const files: LocalFile[] = [];
  for (const { path: name, hash, mediatype } of named.values()) {
    const path = resolvePath(name, folder, fileSystem);
    if (fileSystem.stat(path)?.kind !== 'file') throw new SinkError(`${path} is missing, though ${packageFile} names it. ${nothing}`);
    const print = await fingerprint(path, fileSystem, { partBytes, mediaType: mediatype, signal });
    if (hash !== undefined && hash !== `sha256:${print.sha256}`)
      throw new SinkError(`${path} is damaged: its SHA-256 isn't the one in ${packageFile}. ${nothing}`);
    digest.update(`${name}\0${print.sha256}\0`);
    files.push({ name, path, print });
  }
  return { dataPackage, files, digest: digest.digest('hex') };
}

/** Keeps runs out of the folder meanwhile. A copy of a folder may lack the target for the lock. */
export async function holdFolder(folder: string, fileSystem: FileSystem): Promise<() => void> {
  const isThere = fileSystem.stat(join(folder, ownFolder))?.kind === 'folder';
  return isThere ? (await holdRun(folder, fileSystem)).release : () => undefined;
}

function readPackage(folder: string, fileSystem: FileSystem): { readonly dataPackage: DataPackage; readonly text: string } {
  const path = join(folder, packageFile);
  if (fileSystem.stat(path) === undefined) {
    if (fileSystem.stat(folder) === undefined) throw new SinkError(`There is no folder ${folder}. ${nothing}`);
    throw new SinkError(`${folder} is not a finished run: it has no ${packageFile}. Finish the run first. ${nothing}`);
  }
  let text: string;
  try {
    text = readAll(path, fileSystem).toString();
  } catch (error) {
    throw sinkFailure(path, 'reading', error);
  }
  const dataPackage = parseDataPackage(text);
  if (dataPackage === undefined || dataPackage.trawler.outcome === 'interrupted')
    throw new SinkError(`${path} was not written by a finished run of trawler, or was changed. ${nothing}`);
  return { dataPackage, text };
}

const nothing = 'Nothing was published';
