import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '../contract/index.ts';
import type { FlowDefinition, FlowIssue } from '../flow/index.ts';
import { allVendors } from '../services/index.ts';
import { UsageError } from './Command.ts';
import { packageRoot } from './packageVersion.ts';

/** A flow that comes with the package, to start from. */
interface LikedFlow {
  /** Where it is. */
  readonly path: string;
  readonly flow: FlowDefinition;
  /** Its page and its seeds, by name. */
  readonly files: { readonly [name: string]: string };
}

/** The flows to start from, with what each is for: the first line below the heading of its page. */
export function likedFlows(): readonly { readonly value: string; readonly about: string }[] {
  const folder = flowsFolder();
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, `${name}.json`)));
  return names.toSorted().map((value) => {
    const [, about = ''] = readFileSync(join(folder, value, `${value}.md`), 'utf8').split('\n\n');
    return { value, about: about.replaceAll('\n', ' ').replace(/\.$/, '') };
  });
}

/** Reads one of them. Throws a UsageError that lists them if there is none of this name. */
export function likedFlow(name: string): LikedFlow {
  const known = likedFlows().map(({ value }) => value);
  if (!known.includes(name))
    throw new UsageError(`There is no flow '${name}' to start from.`, {
      unknown: { given: name, known, say: (nearest) => nearest },
      hint: `There are ${known.join(', ')}.`,
    });
  const folder = join(flowsFolder(), name);
  const path = join(folder, `${name}.json`);
  const { $schema: _, ...flow } = JSON.parse(readFileSync(path, 'utf8')) as FlowDefinition;
  const others = readdirSync(folder).filter((file) => file !== `${name}.json`);
  return { path, flow, files: Object.fromEntries(others.map((file) => [file, readFileSync(join(folder, file), 'utf8')])) };
}

/** What a flow asks for and a vendor lacks: what is said of each. */
export async function faultsWith(name: string, service: Service): Promise<readonly FlowIssue[]> {
  const { checkFlow } = await import('../flow/index.ts');
  const { flow, path } = likedFlow(name);
  return checkFlow({ ...flow, service }, { folder: dirname(path), others: await allVendors() });
}

/** Throws a UsageError if a vendor lacks what a flow asks for. It says who has it, and which flows the vendor can run. */
export async function refuseLacking(name: string, service: Service): Promise<void> {
  const faults = await faultsWith(name, service);
  if (faults.length === 0) return;
  const calls = faults.filter(({ path }) => path.endsWith('.call'));
  const lacking = new Set((calls.length > 0 ? calls : faults).map(({ message }) => message));
  const able: string[] = [];
  for (const { value } of likedFlows()) if ((await faultsWith(value, service)).length === 0) able.push(`--like ${value}`);
  throw new UsageError(`${service.name} lacks what the flow ${name} asks for:\n  ${[...lacking].join('\n  ')}`, {
    hint: `With ${service.name} these run: ${able.join(', ')}`,
  });
}

function flowsFolder(): string {
  return fileURLToPath(new URL('examples/flows/', packageRoot()!.folder));
}
