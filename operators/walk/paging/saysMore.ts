import { valueAt } from '../valueAt.ts';

/** Whether `data` says at `path` that there are more pages. undefined: it says nothing. */
export function saysMore(data: unknown, path: string | undefined): boolean | undefined {
  const value = path === undefined ? undefined : valueAt(data, path);
  if (value === true || value === 1 || value === 'true') return true;
  return value === false || value === 0 || value === 'false' ? false : undefined;
}
