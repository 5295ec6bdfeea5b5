import { getOrInsert, memoizePer } from '../../operators/kit/once.ts';
import type { EnvelopeSpec } from './EnvelopeSpec.ts';
import type { Service } from './Service.ts';
import type { Operation } from './Operation.ts';
import { isObject, ownValue } from '../../operators/kit/ownValue.ts';
import type { Shape } from './Shape.ts';

const none: EnvelopeSpec = {};
const merged = memoizePer<Operation, WeakMap<EnvelopeSpec, EnvelopeSpec>>(() => new WeakMap());

/** How the responses of an operation wrap their data: as it says itself, else as its service says. The same object each time. */
export function envelopeOf({ envelope = none }: Pick<Service, 'envelope'>, operation: Operation): EnvelopeSpec {
  const own = operation.spec.envelope;
  if (own === undefined) return envelope;
  return getOrInsert(merged(operation), envelope, () => ({ ...envelope, ...own }));
}

/** The response that a query will get. */
export interface ResponseSpec {
  readonly response: Shape;
  /** The default path of the rows. Null: the response is the one row. */
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

/** What a response says, before a service wraps it. */
interface ResponseParts {
  readonly data: unknown;
  /** @default the code of success */
  readonly code?: number | string | boolean | undefined;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  readonly timestamp?: number | undefined;
}

/** The body of a response: each part where the service's envelope has it. */
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

/** The body of a refusal. Without a path of the data it has the message only, where the envelope has it. */
export function wrapRefusal(envelope: EnvelopeSpec = {}, parts: ResponseParts): unknown {
  if (envelope.data !== undefined) return wrapResponse(envelope, parts);
  const body = {};
  setAt(body, (envelope.message ?? envelope.error ?? 'message').split('.'), parts.message);
  return body;
}

interface Values {
  [key: string]: unknown;
}

/** Sets a value at a path, and makes objects, or lists for numbers, on the way. */
export function setAt(holder: object, [key, ...rest]: readonly string[], value: unknown): void {
  const values = holder as Values;
  if (rest.length === 0) return void (values[key!] = value);
  const inside = Object.hasOwn(values, key!) ? values[key!] : undefined;
  const next = typeof inside === 'object' && inside !== null ? inside : /^\d+$/.test(rest[0]!) ? [] : {};
  values[key!] = next;
  setAt(next, rest, value);
}
