import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineService } from './defineService.ts';
import type { ServiceSpec, FanOutSpec, Service } from './Service.ts';
import type { Operation } from './Operation.ts';

type Spec = ServiceSpec<{ readonly [name: string]: Operation }, { readonly [name: string]: FanOutSpec }>;

/** Loads a service from a module: its default export, or its only export that is one. Throws an Error that names the file. */
export async function loadService(path: string): Promise<Service> {
  const file = resolve(path);
  const name = relative('.', file);
  let module: { readonly [name: string]: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    const hint = /\.[cm]?ts$/.test(file) ? '. TypeScript has to be compiled first' : '';
    throw new Error(`${name} can't be loaded as a module: ${error instanceof Error ? error.message : String(error)}${hint}`, {
      cause: error,
    });
  }
  const found = Object.hasOwn(module, 'default') ? [module['default']] : Object.values(module).filter(isService);
  const [spec] = found;
  if (found.length !== 1 || !isService(spec)) {
    throw new Error(`${name} exports no service: write export default defineService({ … })`);
  }
  return defineService(spec);
}

function isService(value: unknown): value is Spec {
  return typeof value === 'object' && value !== null && 'operations' in value && typeof value.operations === 'object';
}
