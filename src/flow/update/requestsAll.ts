import type { Flow, FlowStage } from '../definition/Flow.ts';

/** Whether an update requests all queries of a stage again: neither it nor a stage above it looks for new rows only. */
export function requestsAll({ since, shifts, parents }: FlowStage, flow: Flow): boolean {
  return since === undefined && !shifts && parents.every((parent) => requestsAll(flow.byName.get(parent)!, flow));
}
