/** What one writes to loop over an Observable: a queue that takes all that comes. */
export async function* toAsyncIterable(stream) {
  const waiting = [];
  let wake;
  let done = false;
  let failure;
  const subscription = stream.subscribe({
    next: (value) => (waiting.push(value), wake?.()),
    error: (error) => ((failure = error), (done = true), wake?.()),
    complete: () => ((done = true), wake?.()),
  });
  try {
    for (;;) {
      if (waiting.length > 0) yield waiting.shift();
      else if (failure !== undefined) throw failure;
      else if (done) return;
      else await new Promise((resolve) => (wake = resolve));
    }
  } finally {
    subscription.unsubscribe();
  }
}
