import { FlowError } from '../../errors/index.ts';
import { join } from 'node:path';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { moreOf, type StageMore } from '../run/moreOf.ts';
import { ReplayedRun } from '../state/ReplayedRun.ts';
import { requestsAll } from '../update/requestsAll.ts';
import { journalFile } from '../state/FlowFolder.ts';
import { JournalReader } from '../state/Journal.ts';

/** What the next requests of each stage would bring, from the journal of the run in a folder. */
export async function moreFound(flow: Flow, outDir: string): Promise<readonly StageMore[]> {
  const history = new ReplayedRun(flow, outDir);
  let begun = false;
  const take = (record: Parameters<ReplayedRun['replay']>[0]): boolean => {
    begun = true;
    history.replay(record);
    return true;
  };
  await new JournalReader(join(outDir, journalFile), flow.fileSystem).read(take, () => undefined);
  if (!begun) throw new FlowError(`${outDir}: there is no run in it. Give the folder of one, or run the flow first`);
  const known = new Map(moreOf(flow, history).map(({ more }) => [more.stage, more]));
  const isPart = (stage: FlowStage): boolean => history.state.isRetry || (history.update && !requestsAll(stage, flow));
  return flow.stages.map(
    (stage): StageMore => known.get(stage.name) ?? { stage: stage.name, because: isPart(stage) ? unless.part : unless.compared },
  );
}

const unless = {
  part: 'an update requests only what is new',
  compared: "its rows aren't compared with each other: it has no 'by'",
} as const;
