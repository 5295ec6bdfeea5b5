import { resolve } from 'node:path';
import type { Area, Within } from '../../../../operators/split/Area.ts';
import { areaOf } from '../../../../operators/split/areaOf.ts';
import { readAll } from '../../../files/blocks.ts';
import type { CompiledFolder } from './SplitKind.ts';

/** An area in a flow or in a row: GeoJSON, its text, or a file beside the flow. */
export function readArea(area: string | Within, { folder, fileSystem }: Omit<CompiledFolder, 'bind'>, ofRow: boolean = false): Area {
  if (typeof area !== 'string') return areaOf('cover', area);
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
    return areaOf(inline ? 'cover' : area, JSON.parse(text) as Within);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new RangeError(`within: ${inline ? 'the text' : area} is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}
