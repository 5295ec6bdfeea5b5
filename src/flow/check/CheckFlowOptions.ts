import type { Service } from '../../contract/index.ts';

export interface CheckFlowOptions {
  /** What relative paths of seed files start from. @default the working directory */
  readonly folder?: string | undefined;
  /** The text that the definition was parsed from, to say lines and columns. @default none */
  readonly source?: string | undefined;
  /** The service to ask where the flow names none. @default the one that trawler comes with */
  readonly service?: Service | undefined;
  /** Where the files will go: finds links that lead out of it. @default not looked at */
  readonly outDir?: string | undefined;
  /** Folders and files beside the flow's own folder that seeds may be read from; '/' is everything. @default none; all, without `folder` */
  readonly allowRead?: readonly string[] | undefined;
  /** @default process.env */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}
