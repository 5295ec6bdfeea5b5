import { SinkError } from '../errors/index.ts';

/** Loads an optional package at once. */
export const load = process.getBuiltinModule('node:module').createRequire(import.meta.url);

/** Throws if an optional package isn't installed. `message` says what it is for. */
export function requirePackages(names: readonly string[], message: string): void {
  try {
    for (const name of names) load.resolve(name);
  } catch (cause) {
    throw new SinkError(`${message}: npm install ${names.join(' ')}`, { cause });
  }
}
