import type { EnvelopeSpec, Operation } from './Operation.ts';
import type { Service } from './Service.ts';

const none: EnvelopeSpec = {};
const merged = new WeakMap<Operation, WeakMap<EnvelopeSpec, EnvelopeSpec>>();

/** How the responses of an operation wrap their data: as it says itself, else as its service says. The same object each time. */
export function envelopeOf({ envelope = none }: Pick<Service, 'envelope'>, operation: Operation): EnvelopeSpec {
  const own = operation.spec.envelope;
  if (own === undefined) return envelope;
  let ofServices = merged.get(operation);
  if (ofServices === undefined) merged.set(operation, (ofServices = new WeakMap()));
  let both = ofServices.get(envelope);
  if (both === undefined) ofServices.set(envelope, (both = { ...envelope, ...own }));
  return both;
}
