import { formatOf } from './formatOf.ts';

/** Lines of text under a name that says Parquet would fool whoever opens the file. */
export function refuseParquet(name: string, path: string): void {
  if (formatOf(path) === 'parquet') throw new RangeError(`${name}: ${path} ends in .parquet; use toParquet for that`);
}
