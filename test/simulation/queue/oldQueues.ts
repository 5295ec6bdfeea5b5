/** Flows over a queue that broke a rule once: what was wrong, and the world. A failure prints such a line. All of them run in every test. */
export const oldQueues: readonly (readonly [fault: string, world: string])[] = [];
