import { UsageError } from './UsageError.ts';

/** The one flow that a command is given. */
export function flowArgument(positionals: readonly string[], command: string): string {
  const [path, more] = positionals;
  if (path === undefined) {
    throw new UsageError(`trawler ${command} needs a flow: trawler ${command} FLOW`, { hint: `See: trawler ${command} --help` });
  }
  if (more !== undefined) throw new UsageError(`trawler ${command} takes one flow; '${more}' is one too many.`);
  return path;
}
