import { claimName, type Claim, namesOf, readLedger, type Version, versionName } from './Ledger.ts';
import type { PublishTarget } from './PublishTarget.ts';

/** A claim of that age belongs to nobody any more. */
const abandonedMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Removes all versions but the newest `keep`, the claims that were committed, and what abandoned claims wrote. It removes
 * only names that the ledger has, and none that a version needs which stays. Names are never used again, so it doesn't matter
 * if a paused process removes them late. Returns the number of removed versions.
 */
export async function removeOld(target: PublishTarget, keep: number, now: number): Promise<number> {
  const { versions, claims } = await readLedger(target);
  const old = versions.slice(0, -keep);
  const needed = new Set(versions.slice(-keep).flatMap(namesOf));
  await removeNames(target, old, needed);
  for (const { version } of old) await target.remove(versionName(version)); // last: a kill before it leaves a list of what to remove
  for (const claim of claims) {
    const committed = versions.some(({ id }) => id === claim.id);
    if (committed) await target.removeUploads(`data/${claim.id}/`); // two publishers of the same folder may have begun a file twice
    if (committed) await target.remove(claimName(claim.id));
    else if (now - Date.parse(claim.at) > abandonedMs) await removeClaim(target, claim);
  }
  return old.length;
}

/** Its publisher may be alive, and can't commit from now on. Looks whether it has before. */
async function removeClaim(target: PublishTarget, claim: Claim): Promise<void> {
  const name = claimName(claim.id);
  const found = await target.read(name);
  if (found === undefined) return;
  const text = JSON.stringify({ ...claim, abandoned: true } satisfies Claim);
  if (found.text !== text && !(await target.swap(name, text, found.tag))) return;
  const { versions } = await readLedger(target);
  if (versions.some(({ id }) => id === claim.id)) return;
  await target.removeUploads(`data/${claim.id}/`);
  await removeNames(target, [claim], new Set(versions.flatMap(namesOf)));
  await target.remove(name);
}

async function removeNames(target: PublishTarget, entries: readonly (Claim | Version)[], needed: ReadonlySet<string>): Promise<void> {
  for (const name of new Set(entries.flatMap(namesOf))) if (!needed.has(name)) await target.remove(name);
}
