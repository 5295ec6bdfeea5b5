interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly tellAll: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when the signal is aborted, or at once if it was. Returns a function that removes the callback. All callbacks share one
 * listener of the signal, because Node warns of a leak at the eleventh.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const { callbacks, tellAll } = waitingFor.get(signal) ?? listenTo(signal);
  const own = (): void => callback();
  callbacks.add(own);
  return () => {
    if (!callbacks.delete(own) || callbacks.size > 0) return;
    waitingFor.delete(signal);
    signal.removeEventListener('abort', tellAll);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const tellAll = (): void => {
    for (const callback of callbacks) callback();
  };
  const waiting = { callbacks, tellAll };
  waitingFor.set(signal, waiting);
  signal.addEventListener('abort', tellAll, { once: true });
  return waiting;
}
