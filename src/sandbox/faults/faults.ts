import { instead } from '../../../operators/check/nearestName.ts';
import { either, like, listOf, number, text, whole } from '../../../operators/options/kinds.ts';
import { declareOptions } from '../../../operators/options/OptionSet.ts';
import type { OperationName } from '../../search/operations.ts';
import * as data from './data.ts';
import * as envelope from './envelope.ts';
import type { FaultAction, PlayFault } from '../SandboxCall.ts';
import * as http from './http.ts';
import * as walks from './walks.ts';
import * as wire from './wire.ts';

/** All faults by name, from every layer. */
type Faults = typeof wire & typeof http & typeof envelope & typeof data & typeof walks;
export const faults: Faults = { ...wire, ...http, ...envelope, ...data, ...walks };

export type FaultName = keyof Faults;

/** An operation's name: of the embedded service, or of the one that is imitated. */
type AnyName = OperationName | (string & {});

/** The requests that a fault is played on: all that match, unless `nth`, `share` or `times` narrows them. */
export interface FaultWhen {
  /** Only requests of this operation or these operations. @default any */
  readonly operation?: AnyName | readonly AnyName[] | undefined;
  /** Only requests whose query has these values. @default any */
  readonly query?: { readonly [param: string]: string } | undefined;
  /** Which of the matching requests, counted from 1. @default all */
  readonly nth?: number | readonly number[] | undefined;
  /** The share of matching requests to play it on, drawn by the seed. @default 1 */
  readonly share?: number | undefined;
  /** How often to play it at most. @default Infinity */
  readonly times?: number | undefined;
}

/** A fault to play: its name, its conditions, and its own options. */
export type Fault = {
  [N in FaultName]: { readonly fault: N } & FaultWhen & (Parameters<Faults[N]> extends [infer Options] ? Options : object);
}[FaultName];

const nth = whole({ from: 1 });

export const faultWhen = declareOptions<FaultWhen>()({
  operation: either(text(), listOf(text())),
  query: like('an object', (value) => typeof value === 'object'),
  nth: either(nth, listOf(nth)),
  share: number({ from: 0, to: 1 }).or(1),
  times: number({ from: 1 }).or(Infinity),
});

/** Prepares a fault. Throws for an unknown option: the options that the fault reads are the known ones. */
export function faultAction(fault: Fault): FaultAction {
  if (!Object.hasOwn(faults, fault.fault)) {
    throw new RangeError(`startSandbox: no fault is called '${fault.fault as string}'${instead(fault.fault, Object.keys(faults))}`);
  }
  const known = new Set<string>(Object.keys(faultWhen.kinds));
  const read = new Proxy(fault, {
    get(target, option): unknown {
      known.add(String(option));
      return Reflect.get(target, option);
    },
  });
  const make = faults[fault.fault] as (options: Fault) => FaultAction | PlayFault;
  let made: FaultAction | PlayFault | undefined;
  let failure: unknown;
  try {
    made = make(read);
  } catch (error) {
    failure = error; // report a misspelt option rather than a missing one
  }
  const unknown = Object.keys(fault).find((option) => option !== 'fault' && !known.has(option));
  if (unknown !== undefined) {
    throw new RangeError(`startSandbox: the fault '${fault.fault}' has no option '${unknown}'${instead(unknown, [...known])}`);
  }
  if (made === undefined) throw failure;
  return typeof made === 'function' ? { play: made } : made;
}
