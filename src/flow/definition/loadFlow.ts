import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { declareOptions } from '../../../operators/options/OptionSet.ts';
import type { Service } from '../../contract/index.ts';
import { allVendors, findService, isVendorName, vendorNames } from '../../services/index.ts';
import { readAll } from '../../files/blocks.ts';
import type { FileSystem } from '../../sinks/index.ts';
import { systemCode } from '../../files/FileSystem.ts';
import { FlowError } from '../../errors/index.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { locationOf, jsonFault } from '../check/jsonLocations.ts';
import { outsideOf } from '../check/inputRows.ts';
import { checkFlowOptions } from '../check/CheckFlowOptions.ts';
import { compileFlow, type CompileFlowOptions } from './compileFlow.ts';
import type { Flow } from './Flow.ts';
import type { FlowDefinition } from './flowFormat.ts';

export type LoadFlowOptions = Pick<CompileFlowOptions, 'service' | 'env' | 'allowRead' | 'destinations' | 'fileSystem'>;

const { service, env, allowRead, destinations, fileSystem } = checkFlowOptions.kinds;
const loadFlowOptions = declareOptions<LoadFlowOptions>()({ service, env, allowRead, destinations, fileSystem });

/**
 * Reads a flow from a `.json` file, or from a module's default export, and checks it. Seed files and the service's module
 * are found relative to it. Throws a FlowError that lists every fault.
 */
export async function loadFlow(path: string, options: LoadFlowOptions = {}): Promise<Flow> {
  const { fileSystem: disk } = loadFlowOptions.read('loadFlow', options);
  const file = resolve(path);
  const folder = dirname(file);
  const source = extname(file) === '.json' ? readText(file, path, disk).replace(/^\uFEFF/, '') : undefined;
  const definition = source === undefined ? await moduleFlow(file, path) : parse(source, path);
  const named = options.service ?? (await serviceBeside(folder, definition, disk));
  const flow = named === undefined ? definition : { ...definition, service: named };
  const given = { ...options, folder, source };
  try {
    return compileFlow(flow, given);
  } catch (error) {
    if (named === undefined || !vendorNames.includes(named.name)) throw error;
    return compileFlow(flow, { ...given, others: await allVendors() }); // says who has what is lacking
  }
}

/** The vendor that a flow names, or the service in its file. Loading a module runs it, so it must be inside the flow's own folder. */
async function serviceBeside(folder: string, definition: FlowDefinition, fileSystem: FileSystem): Promise<Service | undefined> {
  const { service } = definition ?? {};
  if (typeof service !== 'string') return undefined;
  if (!isVendorName(service) && outsideOf(service, { folder, fileSystem }) !== undefined) {
    throw new FlowError(`the flow names the service ${service}, which is not in the flow's folder; allow it with --service`);
  }
  try {
    return await findService(service, (file) => resolve(folder, file));
  } catch (error) {
    throw new FlowError(`the flow's service: ${messageOf(error)}`, { cause: error });
  }
}

function readText(file: string, path: string, fileSystem: FileSystem): string {
  try {
    return readAll(file, fileSystem).toString();
  } catch (error) {
    throw systemCode(error) === 'ENOENT'
      ? new FlowError(`there is no file ${path}`)
      : new FlowError(`${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

function parse(source: string, path: string): FlowDefinition {
  try {
    return JSON.parse(source) as FlowDefinition;
  } catch (error) {
    const offset = /position (\d+)/.exec(messageOf(error))?.[1];
    const where = offset === undefined ? undefined : locationOf(source, Number(offset));
    throw new FlowError(`${path}${where === undefined ? '' : `:${where.line}:${where.column}`} isn't JSON: ${jsonFault(error)}`);
  }
}

const hints = [
  { ending: /\.[cm]?ts$/, hint: '. TypeScript has to be compiled first' },
  { ending: /\.[cm]?js$/, hint: '' },
  { ending: /$/, hint: '. A flow is a .json file, or a module (.js, .mjs)' },
];

async function moduleFlow(file: string, path: string): Promise<FlowDefinition> {
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    const hint = hints.find(({ ending }) => ending.test(file))!.hint;
    throw new FlowError(`${path} can't be loaded as a module: ${messageOf(error)}${hint}`, { cause: error });
  }
  if (module.default === undefined) throw new FlowError(`${path} has no default export: write export default defineFlow({ … })`);
  return module.default as FlowDefinition;
}
