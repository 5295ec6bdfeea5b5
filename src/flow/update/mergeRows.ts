import { join } from 'node:path';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { StageChanges } from '../run/FlowProgress.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { mergeStage } from './mergeStage.ts';

/**
 * Completes an update. Rows of the previous run that this one didn't request again, or didn't find any more, are carried
 * over, and the differences are recorded. `before` is the folder of the previous run.
 */
export async function mergeRows(flow: Flow, store: FlowStore, before: FlowFolder, changesFolder: string): Promise<StageChanges[]> {
  await store.flushFiles();
  const all: StageChanges[] = [];
  for (const stage of flow.stages) {
    if (!isCompared(flow, stage)) continue;
    const source = rowSource(flow, stage)!;
    all.push(await mergeStage(stage, { source, before, store, file: join(changesFolder, changesFileOf(flow, stage, source)) }));
  }
  return all;
}

/** The file's own name; that of the stage where the rows are in a file that the run keeps for itself. */
function changesFileOf(flow: Flow, { name, outputs }: FlowStage, source: string): string {
  const isTaken = flow.stages.some((other) => other.name !== name && other.outputs.includes(`${name}.jsonl`));
  return outputs.includes(source) || isTaken ? source.replace(/^\.trawler\/rows\//, '') : `${name}.jsonl`;
}

/** Whether an update can compare a stage's rows with those before: they are on disk as they came, and can be told apart. */
export function isCompared(flow: Flow, stage: FlowStage): boolean {
  return stage.key.length > 0 && rowSource(flow, stage) !== undefined;
}
