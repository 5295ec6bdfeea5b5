import { SecondLooks } from './SecondLooks.ts';

const known = new WeakMap<object, SecondLooks>();

/** What second looks at the pages of a factory have found so far. `of`: another factory that requests the same pages. */
export function looksOf(factory: object, of?: object): SecondLooks {
  let looks = known.get(factory);
  if (looks === undefined) known.set(factory, (looks = of === undefined ? new SecondLooks() : looksOf(of)));
  return looks;
}
