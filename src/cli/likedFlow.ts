import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FlowDefinition } from '../flow/index.ts';
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

function flowsFolder(): string {
  return fileURLToPath(new URL('examples/flows/', packageRoot()!.folder));
}
