import type { Service, Operation } from '../contract/index.ts';
import { UsageError } from './Command.ts';

export const serviceOption = {
  service: {
    type: 'string',
    value: 'NAME',
    about: 'the service: a vendor such as serper, or a module that exports one (the built-in one)',
  },
} as const;

/** The service that --service names. undefined if it isn't given. */
export async function namedService(name: string | undefined): Promise<Service | undefined> {
  if (name === undefined) return undefined;
  const { findService } = await import('../services/index.ts');
  try {
    return await findService(name);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--service: ${message}${message.endsWith('?') ? '' : '.'}`);
  }
}

/** The service that --service names, else the one that trawler comes with. */
export async function chooseService(name: string | undefined): Promise<Service> {
  return (await namedService(name)) ?? (await import('../search/index.ts')).searchService;
}

/** The operation of that name. If there is none, throws a UsageError with the nearest name. */
export async function findOperation(service: Service, name: string): Promise<Operation> {
  const { operations } = service;
  const found = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (found !== undefined) return found;
  const { allVendors, vendorNames, whyNot } = await import('../services/index.ts');
  const because = whyNot(service, vendorNames.includes(service.name) ? await allVendors() : [], name);
  if (because !== '') throw new UsageError(`${because}.`);
  throw new UsageError(`There is no operation '${name}'.`, {
    unknown: { given: name, known: Object.keys(operations), say: (nearest) => nearest },
    hint: "'trawler operations' lists them all.",
  });
}
