import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { CheckFlowOptions } from './CheckFlowOptions.ts';

/** Why a file that a flow names may not be read: a flow that somebody else wrote must not reach files that it doesn't come with. */
export function outsideOf(each: string, { folder, allowRead = [] }: CheckFlowOptions): string | undefined {
  if (folder === undefined) return undefined; // the flow is part of the program that runs it
  const file = realpathSync(resolve(folder, each)); // links are followed: what counts is what would be read
  const inside = [folder, ...allowRead].some((one) => {
    const way = relative(realpathSync(resolve(one)), file);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
  return inside ? undefined : `${each} is outside of the flow's folder: allow it by name (allowRead, --allow-read ${file})`;
}
