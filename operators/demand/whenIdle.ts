const listeners = new Set<() => boolean>();

/**
 * Calls `run` whenever nothing else can happen in the process, so that it would end. `run` returns whether it did
 * something: then it is called again if that led nowhere. Returns a cancel function.
 */
export function whenIdle(run: () => boolean): () => void {
  if (listeners.size === 0) process.on('beforeExit', callAll);
  listeners.add(run);
  return () => {
    listeners.delete(run);
    if (listeners.size === 0) process.off('beforeExit', callAll);
  };
}

function callAll(): void {
  const acted = Array.from(listeners, (run) => run());
  if (acted.includes(true)) setImmediate(() => {});
}
