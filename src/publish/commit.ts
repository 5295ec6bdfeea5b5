import { BusyError } from '../errors/index.ts';
import { type VersionPlan, readPublished, type Version, versionName } from './Published.ts';
import type { PublishTarget } from './PublishTarget.ts';
import type { DataPackage } from '../files/dataPackage.ts';
import type { FinishedFolder, LocalFile } from './readFolder.ts';
import { showNewest } from './showNewest.ts';

interface CommitOptions {
  /** The newest version when this publication began. */
  readonly base: number;
  readonly now: number;
}

/**
 * Makes a reservation the next version, and shows it to readers. Of several publishers that began with the same version, one
 * succeeds. The others get a BusyError, and readers see nothing of theirs.
 */
export async function commit(
  target: PublishTarget,
  reservation: VersionPlan,
  finished: FinishedFolder,
  names: ReadonlyMap<LocalFile, string>,
  { base, now }: CommitOptions,
): Promise<number> {
  const version = base + 1;
  const record = versionOf(reservation, finished, names, version, now);
  const name = versionName(version);
  const won = await target.swap(name, JSON.stringify(record), undefined);
  const { versions, reservations } = await readPublished(target);
  const there = versions.find((one) => one.version === version);
  if (there?.id !== reservation.id) throw lost(target, version);
  // A process that was paused for long may write a version whose number was used and removed, or whose files were.
  const late =
    versions.at(-1)!.version !== version || reservations.every(({ id, abandoned }) => id !== reservation.id || abandoned === true);
  if (won && late) await target.remove(name);
  if (won && late) throw lost(target, version);
  if ((await showNewest(target)).id !== reservation.id) throw lost(target, version);
  return version;
}

function lost(target: PublishTarget, version: number): BusyError {
  return new BusyError(
    `${target.url}: another publisher was first and made version ${version} or a newer one. Readers see that one, whole. Run the same command to publish yours after it`,
  );
}

function versionOf(
  reservation: VersionPlan,
  { dataPackage, files }: FinishedFolder,
  names: CommitNames,
  version: number,
  now: number,
): Version {
  const publishedAt = new Date(now).toISOString();
  const placed = new Map(files.map((file) => [file.name, names.get(file)!]));
  const publication = { version, id: reservation.id, publishedAt, report: placed.get('report.html') };
  const published: DataPackage = {
    ...dataPackage,
    resources: dataPackage.resources.map((resource) => ({ ...resource, path: placed.get(resource.path)! })),
    trawler: Object.assign({}, dataPackage.trawler, { publication }),
  };
  const stored = files.map((file) => ({ name: names.get(file)!, bytes: file.print.bytes, sha256: file.print.sha256 }));
  return { ...reservation, at: publishedAt, version, stored, package: published };
}

type CommitNames = ReadonlyMap<LocalFile, string>;
