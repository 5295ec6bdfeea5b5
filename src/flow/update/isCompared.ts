import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';

/** Whether an update can compare a stage's rows with those before: they are on disk as they came, and can be told apart. */
export function isCompared(flow: Flow, stage: FlowStage): boolean {
  return stage.key.length > 0 && rowSource(flow, stage) !== undefined;
}
