import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { SinkError } from '../errors/index.ts';
import type { PublishTarget } from './PublishTarget.ts';
import { packageFile, type DataPackage } from '../files/dataPackage.ts';

/** A dataset that is being uploaded. Written before its first file, so no file is ever unknown. Never changed. */
export interface VersionPlan {
  /** The files are in a folder of this name. The name is never used again. */
  readonly id: string;
  /** Of the finished folder. The same folder resumes its reservation. */
  readonly digest: string;
  readonly at: string;
  /** As the finished folder names them. */
  readonly files: readonly string[];
  /** What it wrote is being removed, and it can't become a version. */
  readonly abandoned?: true;
}

/** A dataset that is there, whole. Never changed. */
export interface Version extends VersionPlan {
  readonly version: number;
  readonly stored: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** The `datapackage.json` of this version. */
  readonly package: DataPackage;
}

const reservations = '.trawler/reservations/';
const versions = '.trawler/versions/';

export const reservationName = (id: string): string => `${reservations}${id}.json`;
export const versionName = (version: number): string => `${versions}${String(version).padStart(8, '0')}.json`;
/** Where a reservation puts a file. */
export const nameFor = (id: string, file: string): string => `data/${id}/${file}`;

/** All names that this reservation or version may have written or uses. */
export function namesOf(entry: VersionPlan | Version): readonly string[] {
  const used = 'stored' in entry ? entry.stored.map(({ name }) => name) : [];
  return [...new Set([...entry.files.map((file) => nameFor(entry.id, file)), ...used])];
}

/** What was published at a target, and what is under way there. */
export interface Published {
  /** Oldest first. */
  readonly versions: readonly Version[];
  readonly reservations: readonly VersionPlan[];
}

/** Reservations are read first: one that is committed meanwhile is then among the versions. */
export async function readPublished(target: PublishTarget): Promise<Published> {
  const found = {
    reservations: await readEntries<VersionPlan>(target, reservations),
    versions: await readEntries<Version>(target, versions),
  };
  return { ...found, versions: found.versions.toSorted((one, other) => one.version - other.version) };
}

async function readEntries<T extends VersionPlan>(target: PublishTarget, under: string): Promise<readonly T[]> {
  const entries: T[] = [];
  for await (const name of target.list(under)) {
    const found = await target.read(name);
    if (found !== undefined) entries.push(parse(found.text, name, target) as T); // else it was removed meanwhile
  }
  return entries;
}

function parse(text: string, name: string, target: PublishTarget): VersionPlan {
  const entry = parsedJson(text) as VersionPlan | null | undefined;
  if (typeof entry?.id === 'string' && Array.isArray(entry.files)) return entry;
  throw new SinkError(`${target.url}: ${name} can't be read. It says which files trawler wrote there, so nothing was changed`);
}

/** A name at the target that trawler didn't write. undefined if there is none. */
export async function foreignName(target: PublishTarget, { reservations, versions }: Published): Promise<string | undefined> {
  const own = new Set([
    ...[...reservations, ...versions].flatMap(namesOf),
    ...reservations.map(({ id }) => reservationName(id)),
    ...versions.map(({ version }) => versionName(version)),
    ...(versions.length === 0 ? [] : [packageFile]),
  ]);
  for await (const name of target.list('')) if (!own.has(name)) return name;
  return undefined;
}
