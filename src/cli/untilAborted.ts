import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import { InterruptedError } from './InterruptedError.ts';

/** Ends a stream with an InterruptedError when the command is told to stop. */
export function untilAborted<T>(signal: AbortSignal): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((subscriber) => {
      const stop = (): void => subscriber.error(new InterruptedError('Interrupted.'));
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      subscriber.add(() => signal.removeEventListener('abort', stop));
      source.subscribe(subscriber);
    });
}
