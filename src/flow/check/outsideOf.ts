import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { CheckFlowOptions } from './CheckFlowOptions.ts';

/** Why a file may not be read. A flow from somebody else must not read files outside its own folder. */
export function outsideOf(each: string, { folder, allowRead = [] }: CheckFlowOptions): string | undefined {
  if (folder === undefined) return undefined; // the flow is part of the program that runs it
  const file = realpathSync(resolve(folder, each)); // follow links, because the target is what would be read
  const inside = [folder, ...allowRead].some((one) => {
    const way = relative(realpathSync(resolve(one)), file);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
  return inside ? undefined : `${each} is outside of the flow's folder: allow it by name (allowRead, --allow-read ${file})`;
}
