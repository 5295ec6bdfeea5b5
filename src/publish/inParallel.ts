/** Works on all items, `count` at a time. After a failure no other item begins. The failure is thrown once all work has ended. */
export async function inParallel<T>(items: Iterable<T>, count: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failed = false;
  const runner = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && !failed; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  for (const one of await Promise.allSettled(Array.from({ length: count }, runner))) if (one.status === 'rejected') throw one.reason;
}
