import { once } from '../../operators/kit/once.ts';
import { SinkError } from '../errors/index.ts';

const fromHere = once(() => process.getBuiltinModule('node:module').createRequire(import.meta.url));

/** An optional package. Throws if it isn't installed. */
export function loadPackage(name: string): unknown {
  return fromHere()(name);
}

/** Throws if the packages that write to PostgreSQL aren't installed. */
export function requirePostgres(to?: string): void {
  requirePackages(['pg', 'pg-copy-streams'], `${to === undefined ? '' : `${to}: `}PostgreSQL needs two more packages`);
}

/** Throws if an optional package isn't installed. `message` says what it is for. */
export function requirePackages(names: readonly string[], message: string): void {
  try {
    for (const name of names) fromHere().resolve(name);
  } catch (cause) {
    throw new SinkError(`${message}: npm install ${names.join(' ')}`, { cause });
  }
}
