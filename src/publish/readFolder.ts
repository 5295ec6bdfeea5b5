import { join } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { hashFile, readAll, sha256 } from '../files/blocks.ts';
import { packageFile, parseDataPackage, type DataPackage } from '../files/dataPackage.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { resolvePath } from '../files/resolvePath.ts';
import type { LocalFile } from './PublishTarget.ts';

const reportName = 'report.html';

/** The folder of a finished run. */
export interface FinishedFolder {
  readonly dataPackage: DataPackage;
  readonly files: readonly LocalFile[];
  /** Digest of all its files. */
  readonly digest: string;
}

/** Reads which files a finished run has. Throws a SinkError that says what is wrong. */
export function readFolder(folder: string, fileSystem: FileSystem): FinishedFolder {
  const { dataPackage, text } = readPackage(folder, fileSystem);
  const named = new Map(dataPackage.resources.map((resource) => [resource.path, resource]));
  if (!named.has(reportName) && fileSystem.stat(join(folder, reportName)) !== undefined)
    named.set(reportName, { path: reportName, mediatype: 'text/html' });
  const digest = sha256().update(text);
  const files: LocalFile[] = [];
  for (const { path: name, hash, mediatype: mediaType } of named.values()) {
    const path = resolvePath(name, folder, fileSystem);
    const found = fileSystem.stat(path);
    if (found?.kind !== 'file') throw new SinkError(`${path} is missing, though ${packageFile} names it. ${nothing}`);
    const file = { name, path, bytes: found.size, sha256: hash?.slice('sha256:'.length) ?? hashFile(path, fileSystem).sha256, mediaType };
    digest.update(`${name}\0${file.sha256}\0`);
    files.push(file);
  }
  return { dataPackage, files, digest: digest.digest('hex') };
}

function readPackage(folder: string, fileSystem: FileSystem): { readonly dataPackage: DataPackage; readonly text: string } {
  const path = join(folder, packageFile);
  if (fileSystem.stat(folder) === undefined) throw new SinkError(`There is no folder ${folder}. ${nothing}`);
  if (fileSystem.stat(path) === undefined)
    throw new SinkError(`${folder} is not a finished run: it has no ${packageFile}. Finish the run first. ${nothing}`);
  try {
    const text = readAll(path, fileSystem).toString();
    const dataPackage = parseDataPackage(text);
    if (dataPackage !== undefined && dataPackage.trawler.outcome !== 'interrupted') return { dataPackage, text };
  } catch (error) {
    throw sinkFailure(path, 'reading', error);
  }
  throw new SinkError(`${path} was not written by a finished run of trawler, or was changed. ${nothing}`);
}

const nothing = 'Nothing was published';
