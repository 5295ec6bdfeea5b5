import { SinkError } from '../errors/index.ts';
import { foreignName, type Ledger, readLedger } from './Ledger.ts';
import type { PublishTarget } from './PublishTarget.ts';
import { checkShown } from './showNewest.ts';

/**
 * Throws a SinkError if there are files at a target that trawler didn't publish, or the dataset of another flow. Returns what
 * was published there.
 */
export async function checkTarget(target: PublishTarget, flow: string, intoExisting: boolean): Promise<Ledger> {
  const ledger = await readLedger(target);
  await checkShown(target);
  if (intoExisting) return ledger;
  const other = ledger.versions.at(-1)?.package.trawler.flow.name;
  if (other !== undefined && other !== flow) throw new SinkError(`${target.url} has the dataset of the flow '${other}'. ${advice}`);
  // another publisher may have begun since the ledger was read
  if ((await foreignName(target, ledger)) === undefined) return ledger;
  const again = await readLedger(target);
  const foreign = await foreignName(target, again);
  if (foreign !== undefined) throw new SinkError(`${target.url} has files that trawler didn't publish, such as ${foreign}. ${advice}`);
  return again;
}

const advice = 'Choose another prefix, or say intoExisting: true. It leaves all other files alone';
