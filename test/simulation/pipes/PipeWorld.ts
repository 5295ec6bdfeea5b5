import type { WorldOperation } from '../World.ts';

/** A pipe of operators over a service, and what happens to it. */
export interface PipeWorld {
  /** Of all that is left to chance while it runs: how long things take. */
  readonly seed: number;
  readonly operations: readonly WorldOperation[];
  /** How many queries the first walk gets. */
  readonly queries: number;
  readonly steps: readonly PipeStep[];
  /** Requests in flight. */
  readonly inFlight: number;
  readonly maxRequests?: number | undefined;
  readonly sink: (typeof sinks)[number];
  readonly life: PipeLife;
}

/** `array`: takes rows at once. `loop`: a slow `for await`. `fanOut`: a slow promise for each row. `file`: JSONL on a disk. */
export const sinks = ['array', 'loop', 'fanOut', 'file'] as const;

/** Steps that request something for each row. All but the last three hold what is above them. */
export const askers = ['walk', 'split', 'fanOut', 'mergeBounded', 'mergeMap', 'concatMap', 'switchMap'] as const;
/** Steps that pass rows on. */
export const passers = [
  'named',
  'distinctBy',
  'shareHeld',
  'share',
  'bufferCount',
  'delay',
  'filter',
  'observeOn',
  'merge',
  'groupBy',
  'race',
] as const;

export type PipeStep =
  | {
      readonly kind: (typeof askers)[number];
      readonly operation: number;
      readonly concurrency: number;
      /** The first one asks for queries; the others for this field of each row. */
      readonly from: 'id' | 'group';
      /** Each key once. */
      readonly once?: boolean | undefined;
      readonly skip?: boolean | undefined;
      readonly maxPages?: number | undefined;
      readonly lookahead?: number | undefined;
      /** Under a limit of our own: so many at once, or so many in 100 ms; or with attempts of its own. */
      readonly under?: 'concurrency' | 'rate' | 'backoff' | 'retry' | undefined;
      /** Stops where its rows are known. All are new here. */
    }
  | { readonly kind: (typeof passers)[number] }
  | { readonly kind: 'take'; readonly count: number };

export type Asker = Extract<PipeStep, { readonly operation: number }>;

export type PipeLife =
  | { readonly kind: 'whole' }
  /** Somebody unsubscribes after so many rows, or some time. */
  | { readonly kind: 'leave'; readonly rows: number }
  | { readonly kind: 'leaveAt'; readonly ms: number }
  /** By RxJS's takeUntil. */
  | { readonly kind: 'takeUntil'; readonly ms: number }
  | { readonly kind: 'close'; readonly ms: number }
  /** Two subscribers, the second one some time later. */
  | { readonly kind: 'twice'; readonly ms: number };

export function isAsker(step: PipeStep): step is Asker {
  return 'operation' in step;
}
