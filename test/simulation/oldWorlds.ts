import type { World } from './World.ts';

/** Worlds that broke a rule once, and what was wrong. A failure prints such a line. All of them run in every test. */
export const oldWorlds: readonly { readonly fault: string; readonly world: World }[] = [];
