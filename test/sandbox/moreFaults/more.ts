import type { Fault, FaultName, FaultWhen, PlayFault as OwnFault } from '../../../src/sandbox/index.ts';
import type { PlayFault } from './ChangedResponse.ts';
import * as data from './data.ts';
import * as envelope from './envelope.ts';
import * as http from './http.ts';
import * as walks from './walks.ts';
import * as wire from './wire.ts';

/** The faults that only these tests need, by name. */
export const moreFaults = { ...wire, ...http, ...envelope, ...data, ...walks };

type More = typeof moreFaults;
export type MoreName = keyof More;
export type AnyFaultName = FaultName | MoreName;

type MoreFault = {
  [N in MoreName]: { readonly fault: N } & FaultWhen & (Parameters<More[N]> extends [infer Options] ? Options : object);
}[MoreName];

/** A fault by name, of the sandbox or of these tests. */
export type NamedFault = Exclude<Fault, { readonly fault: Function }> | MoreFault;

/** The name of a fault, as the log has it. */
export function nameOf({ fault }: Fault): string {
  return typeof fault === 'string' ? fault : fault.name;
}

/** A fault by name, as the sandbox takes it: one of these tests as a function, called as the fault. */
export function more({ fault, ...options }: NamedFault): Fault {
  if (!Object.hasOwn(moreFaults, fault)) return { fault, ...options } as Fault;
  const { operation, query, nth, share, times, ...own } = options as FaultWhen;
  const when = Object.fromEntries(Object.entries({ operation, query, nth, share, times }).filter(([, value]) => value !== undefined));
  const made = (moreFaults[fault as MoreName] as (options: object) => PlayFault)(own);
  return { fault: Object.defineProperty(made, 'name', { value: fault }) as unknown as OwnFault, ...when };
}
