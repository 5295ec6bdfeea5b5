import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FlowError } from '../../errors/index.ts';
import { placeOf } from '../check/jsonPlaces.ts';
import { compileFlow } from './compileFlow.ts';
import type { Flow } from './Flow.ts';
import type { FlowDefinition } from './flowFormat.ts';

/**
 * Reads a flow from a `.json` file, or from a module's default export, and checks it. Seed files are looked for beside
 * it. Throws a FlowError that lists every fault.
 */
export async function loadFlow(path: string, env: { readonly [name: string]: string | undefined } = process.env): Promise<Flow> {
  const file = resolve(path);
  const folder = dirname(file);
  if (extname(file) !== '.json') return compileFlow(await moduleFlow(file, path), { folder, env });
  const source = (await readText(file, path)).replace(/^\uFEFF/, '');
  return compileFlow(parse(source, path), { folder, source, env });
}

async function readText(file: string, path: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw missing
      ? new FlowError(`there is no file ${path}`)
      : new FlowError(`${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

function parse(source: string, path: string): FlowDefinition {
  try {
    return JSON.parse(source) as FlowDefinition;
  } catch (error) {
    const offset = /position (\d+)/.exec(messageOf(error))?.[1];
    const place = offset === undefined ? undefined : placeOf(source, Number(offset));
    throw new FlowError(`${path}${place === undefined ? '' : `:${place.line}:${place.column}`} isn't JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function moduleFlow(file: string, path: string): Promise<FlowDefinition> {
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    const hint = /\.[cm]?ts$/.test(file) ? '. TypeScript has to be compiled first' : '';
    throw new FlowError(`${path} can't be loaded as a module: ${messageOf(error)}${hint}`, { cause: error });
  }
  if (module.default === undefined) throw new FlowError(`${path} has no default export: write export default defineFlow({ … })`);
  return module.default as FlowDefinition;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
