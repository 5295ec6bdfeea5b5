interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly tellAll: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when the signal is aborted, or at once if it was. Returns what takes the callback away. However many wait, the signal
 * has one listener: at the eleventh, Node warns of a leak.
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

/**
 * What a stream ends with when its signal is aborted: the signal's reason. That of `AbortSignal.timeout` is called TimeoutError, as
 * the error of a request that took too long, so an AbortError takes its place, with the reason as its cause.
 */
export function abortReason({ reason }: AbortSignal): unknown {
  if (!(reason instanceof DOMException) || reason.name !== 'TimeoutError') return reason;
  return new DOMException('The time of the signal is over', { name: 'AbortError', cause: reason } as never);
}
