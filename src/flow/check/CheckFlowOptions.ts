import type { Service } from '../../contract/index.ts';
import { nodeFileSystem } from '../../files/nodeFileSystem.ts';
import type { FileSystem } from '../../sinks/index.ts';
import { anything, having, like, text, declareOptions } from '../../../operators/options/index.ts';

export interface CheckFlowOptions {
  /** The folder that relative seed paths start from. @default the working directory */
  readonly folder?: string | undefined;
  /** The source text of the definition, to report lines and columns. @default none */
  readonly source?: string | undefined;
  /** The service if the flow names none. @default the built-in one */
  readonly service?: Service | undefined;
  /** The services that the flow names, by these names. @default none */
  readonly services?: { readonly [name: string]: Service } | undefined;
  /** Other services, to say which of them have what this one lacks. @default none */
  readonly others?: readonly Service[] | undefined;
  /** The output folder, to find links that lead out of it. @default not checked */
  readonly outDir?: string | undefined;
  /** More folders and files to allow seeds from, besides the flow's folder. '/' allows all. @default none; all, without `folder` */
  readonly allowRead?: readonly string[] | undefined;
  /** Destinations of your own that stages may name, as in `webhook:rows`. @default none */
  readonly destinations?: readonly string[] | undefined;
  /** @default process.env */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
  /** The disk that seeds and areas are read from. @default nodeFileSystem */
  readonly fileSystem?: FileSystem | undefined;
}

/** The same, complete. */
export type GivenCheckOptions = CheckFlowOptions & { readonly fileSystem: FileSystem };

export const checkFlowOptions = declareOptions<CheckFlowOptions>()({
  folder: text('a folder'),
  source: anything<string>(),
  service: anything(),
  services: anything(),
  others: like('a list of services', Array.isArray),
  outDir: text('a folder'),
  allowRead: like('a list of paths', Array.isArray),
  destinations: like('a list of names', Array.isArray),
  env: anything(),
  fileSystem: having<FileSystem>('a file system', 'open').or(nodeFileSystem),
});

/** A fault, and the keys that lead to it. */
export interface FlowFault {
  readonly at: readonly (string | number)[];
  readonly message: string;
}
