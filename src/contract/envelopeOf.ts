import { nearestName } from '../../operators/check/nearestName.ts';
import type { EnvelopeSpec } from './EnvelopeSpec.ts';
import type { Operation } from './Operation.ts';
import type { Service } from './Service.ts';

const parts = ['data', 'code', 'error', 'message', 'requestId', 'timestamp'] as const satisfies readonly (keyof EnvelopeSpec)[];
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

/** Says what is wrong with an envelope. undefined: nothing. */
export function envelopeFault(envelope: EnvelopeSpec = none): string | undefined {
  for (const [part, value] of Object.entries(envelope)) {
    if (!(parts as readonly string[]).includes(part)) {
      const nearest = nearestName(part, parts);
      return `envelope has no ${part}; ${nearest === undefined ? `there are ${parts.join(', ')}` : `did you mean ${nearest}?`}`;
    }
    const path: unknown = part === 'code' ? (value as EnvelopeSpec['code'])?.at : value;
    if (value !== undefined && typeof path !== 'string')
      return `envelope.${part}${part === 'code' ? '.at' : ''} must be a dotted path, not ${JSON.stringify(path)}`;
  }
  return undefined;
}
