/** Pipes that broke a rule once: what was wrong, and the world. A failure prints such a line. All of them run in every test. */
export const oldPipes: readonly (readonly [fault: string, world: string])[] = [];
