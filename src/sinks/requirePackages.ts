import { createRequire } from 'node:module';
import { SinkError } from '../errors/index.ts';

/** Throws if an optional package isn't installed. `message` says what it is for. */
export function requirePackages(names: readonly string[], message: string): void {
  const { resolve } = createRequire(import.meta.url);
  try {
    for (const name of names) resolve(name);
  } catch (cause) {
    throw new SinkError(`${message}: npm install ${names.join(' ')}`, { cause });
  }
}
