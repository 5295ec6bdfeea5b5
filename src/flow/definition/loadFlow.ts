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
import { locationOf, jsonFault } from '../../../operators/kit/jsonLocations.ts';
import { outsideOf } from '../check/inputRows.ts';
import { checkFlowOptions } from '../check/CheckFlowOptions.ts';
import { compileFlow, type CompileFlowOptions } from './compileFlow.ts';
import type { Flow } from './Flow.ts';
import { type FlowDefinition, listed } from './flowFormat.ts';

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
  const services = await servicesBeside(folder, definition, disk);
  // a service that is given takes the place of the flow's
  const flow = options.service === undefined ? definition : { ...definition, service: options.service };
  const given = { ...options, services, folder, source };
  try {
    return compileFlow(flow, given);
  } catch (error) {
    if (![options.service, ...Object.values(services)].some((each) => each !== undefined && vendorNames.includes(each.name))) throw error;
    return compileFlow(flow, { ...given, others: await allVendors() }); // so that a fault says which vendor has what is missing
  }
}

/** The vendors and files that a flow and its stages name. Loading a module runs it, so it must be inside the flow's own folder. */
async function servicesBeside(folder: string, flow: FlowDefinition, fileSystem: FileSystem): Promise<{ readonly [name: string]: Service }> {
  const stages = typeof flow?.stages === 'object' ? Object.values(flow.stages) : [];
  const names = [flow, ...stages].flatMap((part) => listed(part?.service)).filter((name) => typeof name === 'string');
  const found = [...new Set(names)].map(async (name) => [name, await serviceBeside(folder, name, fileSystem)] as const);
  return Object.fromEntries(await Promise.all(found));
}

async function serviceBeside(folder: string, service: string, fileSystem: FileSystem): Promise<Service> {
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
