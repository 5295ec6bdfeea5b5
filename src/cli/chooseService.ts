import type { Service, Operation } from '../contract/index.ts';
import { UsageError } from './Command.ts';

export const serviceOption = {
  service: { type: 'string', value: 'FILE', about: 'a module that exports the service to use (the built-in one)' },
} as const;

/** The service that --service names. undefined if it isn't given. */
export async function namedService(path: string | undefined): Promise<Service | undefined> {
  if (path === undefined) return undefined;
  const { loadService } = await import('../contract/index.ts');
  try {
    return await loadService(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--service: ${message}${message.endsWith('?') ? '' : '.'}`);
  }
}

/** The service that --service names, else the one that trawler comes with. */
export async function chooseService(path: string | undefined): Promise<Service> {
  return (await namedService(path)) ?? (await import('../search/index.ts')).searchService;
}

/** The operation of that name. If there is none, throws a UsageError with the nearest name. */
export function findOperation({ operations }: Service, name: string): Operation {
  const found = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (found !== undefined) return found;
  throw new UsageError(`There is no operation '${name}'.`, {
    unknown: { given: name, known: Object.keys(operations), say: (nearest) => nearest },
    hint: "'trawler operations' lists them all.",
  });
}
