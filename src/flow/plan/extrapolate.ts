import { count } from './count.ts';
import { expect } from './expect.ts';
import type { PlanStage } from './FlowPlan.ts';
import type { Sample } from './sampleRoots.ts';

/** The bounds, with what to expect from the roots that were run. */
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
    return { ...stage, units: of('queries'), requests: of('requests'), rows: of('rows'), why: [...stage.why, why] };
  });
}
