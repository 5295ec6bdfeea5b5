import { Observable, type OperatorFunction } from 'rxjs';
import { onAbort } from './onAbort.ts';
import { Outlet } from './Outlet.ts';

export interface OperatorSettings {
  /** Ends the stream with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Defines your own operator or sink that follows demand. `begin` is called for each subscription with the source and an
 * outlet. Use the outlet to listen, emit values, pause what is upstream and work step by step.
 *
 * @example
 * const slowly = <T>(save: (row: T) => Promise<void>) =>
 *   defineOperator<T, T>((source, out) => {
 *     const holder = out.holder('slowly');
 *     const rows: T[] = [];
 *     …
 *     out.listen(source, { next: (row) => { if (rows.push(row) >= 20) holder.hold(); } }, holder);
 *   });
 */
export function defineOperator<In, Out>(
  begin: (source: Observable<In>, out: Outlet<Out>) => void,
  { signal }: OperatorSettings = {},
): OperatorFunction<In, Out> {
  return (source) =>
    new Observable<Out>((destination) => {
      const out = new Outlet(destination);
      if (signal !== undefined) {
        if (signal.aborted) return out.error(signal.reason);
        out.atEnd(onAbort(signal, () => out.error(signal.reason)));
      }
      begin(source, out);
    });
}
