import { resolve } from 'node:path';
import type { Area, Within } from '../../../operators/split/Area.ts';
import { areaOf } from '../../../operators/split/areaOf.ts';
import { parsePath } from '../../../operators/kit/path.ts';
import { pathExists, readAll } from '../../files/blocks.ts';
import type { FileSystem } from '../../files/FileSystem.ts';
import { isSeeds, listed, type StageDefinition } from '../definition/flowFormat.ts';
import type { Binding } from '../definition/parseBinding.ts';

export interface SplitFault {
  readonly message: string;
  /** Where it is, below the key. */
  readonly at?: string | undefined;
}

export interface CheckedFolder {
  /** The folder that relative paths start from. */
  readonly folder: string;
  readonly fileSystem: FileSystem;
  /** What is wrong with reading a file that isn't below it. */
  readonly outsideOf: (file: string) => string | undefined;
}

export interface CompiledFolder {
  readonly folder: string;
  readonly fileSystem: FileSystem;
  readonly bind: (text: string) => Binding;
  /** When the run began. @default it hasn't */
  readonly now?: number | undefined;
}

/** An area in a flow or in a row: GeoJSON, its text, or a file beside the flow. */
export function readArea(
  caller: 'cover' | 'grid',
  area: string | Within,
  { folder, fileSystem }: Omit<CompiledFolder, 'bind'>,
  ofRow: boolean = false,
): Area {
  if (typeof area !== 'string') return areaOf(caller, area);
  const inline = /^\s*[[{]/.test(area);
  if (ofRow && !inline && /^([/\\~]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(area)) {
    throw new RangeError(`within: ${area} is not beside the flow; a row may name files there only`);
  }
  let text = area;
  try {
    if (!inline) text = readAll(resolve(folder, area), fileSystem).toString();
  } catch (error) {
    throw new RangeError(`within: ${area} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return areaOf(inline ? caller : area, JSON.parse(text) as Within);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new RangeError(`within: ${inline ? 'the text' : area} is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}

/** What is wrong with how a stage names its area. Faults of the area itself are found by `readArea`. */
export function withinFault(
  { each }: StageDefinition,
  within: unknown,
  { folder, fileSystem, outsideOf }: CheckedFolder,
): SplitFault | undefined {
  if (typeof within !== 'string' || /^\s*[[{]/.test(within)) return undefined;
  if (!within.startsWith('$')) {
    const message = pathExists(resolve(folder, within), fileSystem) ? outsideOf(within) : `there is no file ${within}`;
    return message === undefined ? undefined : { message, at: 'within' };
  }
  if (!listed(each).some(isSeeds)) return { message: `${within} reads a field of a seed, but the stage has no seeds`, at: 'within' };
  const path = parsePath(within.replace(/^\$\./, ''));
  return path === undefined ? { message: `'${within}' isn't a path: write $.field`, at: 'within' } : undefined;
}
