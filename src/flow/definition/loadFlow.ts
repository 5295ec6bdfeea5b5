import type { Flow } from './Flow.ts';

/** Reads a flow from a `.json` file or a module's default export, and checks it. Throws a FlowError that lists every fault. */
export function loadFlow(path: string): Promise<Flow> {
  return Promise.reject(new Error(`not yet ${path}`));
}
