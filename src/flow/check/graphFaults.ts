import { type FlowDefinition, listed, isSeeds } from '../definition/flowFormat.ts';
import { depthsOf } from '../definition/depthsOf.ts';
import type { FlowFault } from './CheckFlowOptions.ts';
import { instead } from './formatFaults.ts';

/** The faults of the links between stages. `names` are all stages, including those too broken to check. */
export function graphFaults(flow: FlowDefinition, names: readonly string[]): readonly FlowFault[] {
  const faults: FlowFault[] = [];
  const known = new Set(names);
  for (const [stage, { each }] of Object.entries(flow.stages)) {
    const sources = listed(each);
    if (sources.length > 1 && sources.some(isSeeds)) {
      faults.push({ at: ['stages', stage, 'each'], message: 'a seed file stands alone: name stages, or one seed file' });
    }
    sources.forEach((source, index) => {
      const at = ['stages', stage, 'each', ...(Array.isArray(each) ? [index] : [])];
      if (sources.indexOf(source) < index) faults.push({ at, message: `'${source}' is named twice` });
      if (isSeeds(source) || known.has(source)) return;
      const others = names.filter((name) => name !== stage);
      faults.push({
        at,
        message: `no stage is called '${source}', and it isn't a .csv, .tsv or .jsonl file${others.length === 0 ? '' : instead(source, others)}`,
      });
    });
  }
  const { circle } = depthsOf(Object.keys(flow.stages), (name) =>
    Object.hasOwn(flow.stages, name) ? listed(flow.stages[name]!.each) : [],
  );
  if (circle !== undefined) {
    faults.push({ at: ['stages', circle[0]!, 'each'], message: `stages run over each other in a circle: ${circle.join(' ← ')}` });
  }
  const onStdin = Object.entries(flow.stages).filter(([, { each }]) => listed(each).includes('-'));
  for (const [stage] of onStdin.slice(1))
    faults.push({ at: ['stages', stage, 'each'], message: `standard input is read by stage ${onStdin[0]![0]} already` });
  return faults;
}
