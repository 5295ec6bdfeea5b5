import { valueAt } from '../../../operators/walk/valueAt.ts';

/** The text at the first of some paths that has a value. */
export function textAt(data: unknown, paths: readonly string[]): string | undefined {
  const found = paths.map((path) => valueAt(data, path)).find((value) => value !== undefined && value !== null && value !== '');
  return typeof found === 'string' ? found : undefined;
}
