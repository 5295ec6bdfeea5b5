import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Area, Within } from '../../../operators/split/Area.ts';
import { areaOf } from '../../../operators/split/areaOf.ts';

/** An area in a flow or in a row: GeoJSON, its text, or a file beside the flow. */
export function readArea(area: string | Within, folder: string, ofRow: boolean = false): Area {
  if (typeof area !== 'string') return areaOf('area', area);
  const inline = /^\s*[[{]/.test(area);
  if (ofRow && !inline && /^([/\\~]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(area)) {
    throw new RangeError(`area: ${area} is not beside the flow; a row may name files there only`);
  }
  let text = area;
  try {
    if (!inline) text = readFileSync(resolve(folder, area), 'utf8');
  } catch (error) {
    throw new RangeError(`area: ${area} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return areaOf(inline ? 'area' : area, JSON.parse(text) as Within);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new RangeError(`area: ${inline ? 'the text' : area} is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}
