import { count } from './count.ts';
import { expect } from './expect.ts';
import type { PlanStage } from './FlowPlan.ts';
import type { Sample } from './sampleRoots.ts';

/** Adds to the bounds what the sampled roots let expect. */
export function extrapolate(stages: readonly PlanStage[], sample: Sample): readonly PlanStage[] {
  return stages.map((stage) => {
    const of = (key: 'queries' | 'requests' | 'rows'): PlanStage['queries'] => ({
      ...stage[key],
      expected: expect(
        sample.roots.map((root) => root[stage.name]?.[key] ?? 0),
        sample.of,
        stage[key].atLeast,
        stage[key].atMost,
      ),
    });
    const why = `expected from ${count(sample.roots.length, 'root')} of ${count(sample.of, 'root')}; what several roots share makes it less`;
    const rows = sample.roots.reduce((sum, root) => sum + stage.each.reduce((all, parent) => all + (root[parent]?.rows ?? 0), 0), 0);
    const queries = sample.roots.reduce((sum, root) => sum + (root[stage.name]?.queries ?? 0), 0);
    const unused = rows > 0 && queries === 0 ? [`no query came out of the ${count(rows, 'row')} of the sample`] : [];
    return { ...stage, queries: of('queries'), requests: of('requests'), rows: of('rows'), why: [...stage.why, why, ...unused] };
  });
}
