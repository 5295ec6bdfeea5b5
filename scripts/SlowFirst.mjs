import { BaseSequencer } from 'vitest/node';
import { slowTests } from './slowTests.mjs';

/** Begins with the slow files, the slowest first: of a long one that comes last, all other cores wait for the end. */
export default class SlowFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => slowTests.findIndex((path) => moduleId.endsWith(`/${path}`));
    const all = await super.sort(files);
    const slow = all.filter((file) => rank(file) >= 0).toSorted((one, other) => rank(one) - rank(other));
    return [...slow, ...all.filter((file) => rank(file) < 0)];
  }
}
