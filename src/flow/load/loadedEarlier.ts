import type { Flow } from '../definition/Flow.ts';
import type { StageProgress } from '../run/FlowProgress.ts';
import { rejectedFile, type FlowFolder } from '../state/FlowFolder.ts';
import { readRows } from '../state/readRows.ts';

/** Adds what a run that finished earlier has loaded, without connecting to a destination: all but the rows that were rejected. */
export async function loadedEarlier(flow: Flow, folder: FlowFolder, stages: readonly StageProgress[]): Promise<readonly StageProgress[]> {
  const rejected = new Map<string, number>();
  for await (const { row } of readRows(folder, rejectedFile)) {
    const { stage, to } = row as { readonly stage: string; readonly to: string };
    const id = `${stage}\0${to}`;
    rejected.set(id, (rejected.get(id) ?? 0) + 1);
  }
  return stages.map((stage) => {
    const { targets } = flow.byName.get(stage.name)!;
    if (targets.length === 0) return stage;
    return { ...stage, loads: targets.map(({ to }) => ({ to, waiting: 0, rejected: rejected.get(`${stage.name}\0${to}`) ?? 0 })) };
  });
}
