import { checkCount } from '../check/checkCount.ts';
import type { Limit } from './Limit.ts';

/** Allows this many streams at once. Streams that are given the same limit share it. */
export function createConcurrencyLimit(streams: number): Limit {
  checkCount('createConcurrencyLimit', 'streams', streams);
  const waiting = new Set<() => void>();
  let open = 0;
  let admitting = false;

  const admit = (): void => {
    // A loop, because streams that end at once would grow the stack if each end started the next one.
    if (admitting) return;
    admitting = true;
    try {
      while (open < streams) {
        const [start] = waiting;
        if (start === undefined) break;
        waiting.delete(start);
        open += 1;
        start();
      }
    } finally {
      admitting = false;
    }
  };

  return {
    enter(start) {
      let entered = false;
      const run = (): void => {
        entered = true;
        start();
      };
      waiting.add(run);
      admit();
      return () => {
        if (entered) open -= 1;
        else waiting.delete(run);
        admit();
      };
    },
  };
}
