import { getOrInsert, memoizePer } from '../../operators/kit/once.ts';
import type { EnvelopeSpec } from './EnvelopeSpec.ts';
import type { Service } from './Service.ts';
import type { Operation } from './Operation.ts';
import { isObject, ownValue } from '../../operators/kit/ownValue.ts';
import type { Shape } from './Shape.ts';

const none: EnvelopeSpec = {};
const merged = memoizePer<Operation, WeakMap<EnvelopeSpec, EnvelopeSpec>>(() => new WeakMap());

/** The envelope of an operation: that of its service, with the fields that it says itself. The same object each time. */
export function envelopeOf({ envelope = none }: Pick<Service, 'envelope'>, operation: Operation): EnvelopeSpec {
  const own = operation.spec.envelope;
  if (own === undefined) return envelope;
  return getOrInsert(merged(operation), envelope, () => ({ ...envelope, ...own }));
}

/** The description of the response to a query. */
export interface ResponseSpec {
  readonly response: Shape;
  /** The default path of the rows. null: the response itself is the only row. */
  readonly rows: string | null;
}

/** The shape of the response to a query: a variant if the query's parameter selects one, else the operation's own. */
export function responseOf({ spec }: Operation, query?: object): ResponseSpec {
  const { variants } = spec;
  if (variants === undefined || query === undefined) return spec;
  return variantFor(spec, ownValue(query, variants.param)) ?? spec;
}

/** The variant of a response that a value of its parameter selects. */
export function variantFor({ variants }: Operation['spec'], value: unknown): ResponseSpec | undefined {
  if (variants === undefined || typeof value !== 'string' || value === '') return undefined;
  return Object.hasOwn(variants.values, value) ? variants.values[value] : variants.values['*'];
}

/** The parts of a response, before a service wraps them. */
interface ResponseParts {
  readonly data: unknown;
  /** @default the code of success */
  readonly code?: number | string | boolean | undefined;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  readonly timestamp?: number | undefined;
}

/** Makes the body of a response: each part is put where the envelope says. */
export function wrapResponse(envelope: EnvelopeSpec = {}, parts: ResponseParts): unknown {
  const { code } = envelope;
  if (envelope.data === undefined) {
    const { requestId } = envelope;
    if (requestId !== undefined && parts.requestId !== undefined && isObject(parts.data))
      setAt(parts.data, requestId.split('.'), parts.requestId);
    return parts.data;
  }
  const values: readonly (readonly [path: string | undefined, value: unknown])[] = [
    [code?.at, parts.code ?? code?.is],
    [envelope.message, parts.message],
    [envelope.data, parts.data],
    [envelope.requestId, parts.requestId],
    [envelope.timestamp, parts.timestamp],
  ];
  const body = {};
  for (const [path, value] of values) if (path !== undefined) setAt(body, path.split('.'), value);
  return body;
}

/** Makes the body of a refusal. If the envelope has no path for the data, the body has only the message. */
export function wrapRefusal(envelope: EnvelopeSpec = {}, parts: ResponseParts): unknown {
  if (envelope.data !== undefined) return wrapResponse(envelope, parts);
  const body = {};
  setAt(body, (envelope.message ?? envelope.error ?? 'message').split('.'), parts.message);
  return body;
}

interface Values {
  [key: string]: unknown;
}

/** Sets a value at a path. Makes the objects on the way, and lists where the next key is a number. */
export function setAt(holder: object, [key, ...rest]: readonly string[], value: unknown): void {
  const values = holder as Values;
  if (rest.length === 0) return void (values[key!] = value);
  const inside = Object.hasOwn(values, key!) ? values[key!] : undefined;
  const next = typeof inside === 'object' && inside !== null ? inside : /^\d+$/.test(rest[0]!) ? [] : {};
  values[key!] = next;
  setAt(next, rest, value);
}
