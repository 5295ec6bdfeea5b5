import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Flow } from '../flow/index.ts';
import { namedService } from './chooseService.ts';
import { UsageError } from './Command.ts';

/** The options of every command that reads the files of a flow. */
export const flowOptions = {
  'allow-read': { type: 'string', value: 'PATH', multiple: true, about: "folder or file outside the flow's own that seeds may come from" },
} as const;

/** The option of every command that writes to the tables of a flow, or checks them. */
export const postgresOption = {
  postgres: { type: 'string', value: 'URL', about: 'where postgres:table of the flow is (DATABASE_URL, else PGHOST, PGUSER …)' },
} as const;

interface FlowValues {
  readonly service?: string | undefined;
  readonly 'allow-read'?: readonly string[] | undefined;
}

/** The one flow that a command is given, loaded. */
export async function openFlow(positionals: readonly string[], command: string, values: FlowValues): Promise<Flow> {
  const path = await flowArgument(positionals, command);
  const { loadFlow } = await import('../flow/index.ts');
  return loadFlow(path, { service: await namedService(values.service), allowRead: values['allow-read'] });
}

/** The folder of a flow's run where no other is named. */
export function outFolderOf({ name }: Flow): string {
  return join('out', name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+|\.+$/g, ''));
}

/** The path of the flow. If there is no such file or it is a folder, throws a UsageError with the names that may be meant. */
export async function flowArgument(positionals: readonly string[], command: string): Promise<string> {
  const [path, more] = positionals;
  if (path === undefined) {
    throw new UsageError(`trawler ${command} needs a flow: trawler ${command} FLOW`, {
      hint: `See: trawler ${command} --help. 'trawler init' writes a flow to start from.`,
    });
  }
  if (more !== undefined) throw new UsageError(`trawler ${command} takes one flow, not also '${more}'.`);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) return path;
  const folder = there === undefined ? dirname(path) : path;
  const known = (await readdir(folder).catch(() => [])).filter(
    (name) => /\.(json|[cm]?js)$/.test(name) && !/^package(-lock)?\.json$/.test(name),
  );
  const init = known.length === 0 ? "'trawler init' writes a flow to start from." : undefined;
  if (there !== undefined) {
    const hint = init ?? `In it: ${known.map((name) => join(folder, name)).join(', ')}`;
    throw new UsageError(`${path} is a folder. trawler ${command} needs the file of a flow.`, { hint });
  }
  throw new UsageError(`There is no file ${path}.`, {
    unknown: { given: basename(path), known, say: (nearest) => join(folder, nearest) },
    hint: init,
  });
}
