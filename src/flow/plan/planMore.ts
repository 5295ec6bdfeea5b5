import { FlowError } from '../../errors/index.ts';
import { join } from 'node:path';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import { moreOf, type StageMore } from '../run/moreOf.ts';
import { FlowHistory } from '../state/FlowHistory.ts';
import { requestsAll } from '../update/requestsAll.ts';
import { journalFile } from '../state/FlowFolder.ts';
import { JournalReader } from '../state/JournalReader.ts';

/**
 * What the next requests of each stage would bring, from what a run in this folder found. Each stage of the flow is named, with
 * the reason where nothing can be said. It reads the run's journal only: it sends no request, takes no lock and writes nothing.
 */
export async function planMore(given: Flow | FlowDefinition, outDir: string): Promise<readonly StageMore[]> {
  const flow = 'digest' in given ? given : compileFlow(given);
  const history = new FlowHistory(flow, outDir);
  let begun = false;
  const take = (record: Parameters<FlowHistory['replay']>[0]): boolean => {
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
