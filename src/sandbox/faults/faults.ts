import type { FaultAction } from './FaultAction.ts';
import { reset } from './reset.ts';
import { status } from './status.ts';

/** Every fault there is, by name. */
export interface Faults {
  readonly reset: typeof reset;
  readonly status: typeof status;
}
export const faults: Faults = { reset, status };

export type FaultName = keyof Faults;

/** On which requests a fault is played; of those that match, on all of them unless `nth`, `share` or `times` says otherwise. */
export interface FaultWhen {
  /** Only requests of this operation, or of these. @default any */
  readonly operation?: string | readonly string[] | undefined;
  /** Only requests with these texts in their query. @default any */
  readonly query?: { readonly [param: string]: string } | undefined;
  /** Which of the matching requests, counted from 1. @default all */
  readonly nth?: number | readonly number[] | undefined;
  /** The share of the matching requests, drawn by the seed. @default 1 */
  readonly share?: number | undefined;
  /** How often at most. @default Infinity */
  readonly times?: number | undefined;
}

/** A fault to play: its name, when, and its own options. */
export type Fault = {
  [N in FaultName]: { readonly fault: N } & FaultWhen & (Parameters<Faults[N]> extends [infer Options] ? Options : object);
}[FaultName];

/** Makes a fault ready to be played. */
export function faultAction(fault: Fault): FaultAction {
  const make = faults[fault.fault] as ((options: Fault) => FaultAction) | undefined;
  if (make === undefined)
    throw new RangeError(`startSandbox: no fault is called '${String(fault.fault)}'; there are ${Object.keys(faults).join(', ')}`);
  return make(fault);
}
