import { SinkError } from '../errors/index.ts';
import { foreignName, type Published, readPublished } from './Published.ts';
import type { PublishTarget } from './PublishTarget.ts';
import type { DataPackage } from '../files/dataPackage.ts';
import { checkShown } from './showNewest.ts';

/** What tells flows apart. The digest changes with whatever decides what is requested and written. */
export type FlowIdentity = DataPackage['trawler']['flow'];

/**
 * Throws a SinkError if there are files at a target that trawler didn't publish, or the dataset of another flow, also of one with
 * the same name. Returns what was published there.
 */
export async function checkTarget(target: PublishTarget, flow: FlowIdentity, intoExisting: boolean): Promise<Published> {
  const published = await readPublished(target);
  await checkShown(target);
  if (intoExisting) return published;
  const other = published.versions.at(-1)?.package.trawler.flow;
  if (other !== undefined && other.name !== flow.name)
    throw new SinkError(`${target.url} has the dataset of the flow '${other.name}'. ${advice}`);
  if (other?.digest !== flow.digest && other?.digest !== undefined && flow.digest !== undefined)
    throw new SinkError(
      `${target.url} has the dataset of another flow '${flow.name}', or of this one before it was changed: its stages aren't the same. ${advice}`,
    );
  // another publisher may have begun since it was read
  if ((await foreignName(target, published)) === undefined) return published;
  const again = await readPublished(target);
  const foreign = await foreignName(target, again);
  if (foreign !== undefined) throw new SinkError(`${target.url} has files that trawler didn't publish, such as ${foreign}. ${advice}`);
  return again;
}

const advice = 'Choose another prefix, or say intoExisting: true. It leaves all other files alone';
