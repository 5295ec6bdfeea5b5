import type { FlowIssue } from './FlowIssue.ts';

export interface CheckFlowOptions {
  /** What relative paths of seed files start from. @default the working directory */
  readonly folder?: string | undefined;
  /** The text that the definition was parsed from, to say lines and columns. @default none */
  readonly source?: string | undefined;
  /** Where the files will go: finds links that lead out of it. @default not looked at */
  readonly outDir?: string | undefined;
  /** @default process.env */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}

/** All that is wrong with a flow, at once; nothing is asked for. */
export function checkFlow(definition: unknown, options: CheckFlowOptions = {}): readonly FlowIssue[] {
  return definition === undefined ? [{ path: '', message: `not yet ${options.folder}` }] : [];
}
