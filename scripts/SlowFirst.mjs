import { BaseSequencer } from 'vitest/node';
import { slowTests } from './slowTests.mjs';

/** Runs the slow files first, the slowest before the others: if a long one came last, all other cores would wait for it. */
export default class SlowFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => slowTests.findIndex((path) => moduleId.endsWith(`/${path}`));
    const all = await super.sort(files);
    const slow = all.filter((file) => rank(file) >= 0).toSorted((one, other) => rank(one) - rank(other));
    return [...slow, ...all.filter((file) => rank(file) < 0)];
  }
}
