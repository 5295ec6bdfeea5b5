import type { FlowStage } from '../definition/Flow.ts';
import type { Unit } from '../unit/Unit.ts';
import { failureOf } from './failureOf.ts';
import type { FlowProgress } from './FlowProgress.ts';

/** What is told of a unit that failed. */
export function failureEvent(stage: FlowStage, unit: Unit, error: unknown): FlowProgress {
  const { name, message } = failureOf(error);
  const { operation } = stage;
  return {
    type: 'failure',
    at: Date.now(),
    stage: stage.name,
    operation: operation.name,
    query: unit.walk.query,
    error: { name, message },
  };
}
