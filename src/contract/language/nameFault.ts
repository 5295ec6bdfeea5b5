import { firstOf, inWords, nearestName } from '../../../operators/check/nearestName.ts';

/** Says that there is nothing of this name, and what there is. undefined: there is. */
export function nameFault(where: string, name: string, params: object, what = 'its params'): string | undefined {
  return Object.hasOwn(params, name)
    ? undefined
    : `${where} names ${inWords(name)}, which is not one of ${what}; ${insteadOf(name, Object.keys(params))}`;
}

/** What to write in place of a name. */
export function insteadOf(name: string, names: readonly string[], before = ''): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `there is ${firstOf(names.map((one) => before + one))}` : `did you mean ${before}${nearest}?`;
}
