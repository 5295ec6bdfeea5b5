import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { SinkError } from '../errors/index.ts';
import { readPublished, type Version } from './Published.ts';
import type { PublishTarget } from './PublishTarget.ts';
import { packageFile } from '../files/dataPackage.ts';

/** Puts the newest version's `datapackage.json` before the readers, in one step. Returns that version. */
export async function showNewest(target: PublishTarget): Promise<Version> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const newest = (await readPublished(target)).versions.at(-1);
    if (newest === undefined) break; // another process removes what it finds here
    const shown = await target.read(packageFile);
    const text = `${JSON.stringify(newest.package, undefined, 2)}\n`;
    if (shown?.text === text) return newest;
    if (shown !== undefined && !isOurs(shown.text)) throw notOurs(target);
    await target.swap(packageFile, text, shown?.tag); // looked at again, whatever it says: another publisher may be newer
  }
  throw new SinkError(`${target.url}: ${packageFile} changes again and again. Several publishers are at work there; run one at a time`);
}

/** Throws if there is a `datapackage.json` that no publication wrote. It is never replaced. */
export async function checkShown(target: PublishTarget): Promise<void> {
  const shown = await target.read(packageFile);
  if (shown !== undefined && !isOurs(shown.text)) throw notOurs(target);
}

function notOurs(target: PublishTarget): SinkError {
  return new SinkError(`${target.url} has a ${packageFile} that trawler publish didn't write, and doesn't replace. Choose another prefix`);
}

function isOurs(text: string): boolean {
  const shown = parsedJson(text) as { readonly trawler?: { readonly publication?: object } } | null | undefined;
  return shown?.trawler?.publication !== undefined;
}
