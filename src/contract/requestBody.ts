import { canonicalJson, textOfValue } from '../../operators/kit/canonicalJson.ts';
import { isLongInteger } from '../../operators/walk/paging/followToken.ts';
import type { Operation } from './Operation.ts';
import { pairsOf, sentValue, sentValues, undeclared, planOf } from './requestPath.ts';
import { setAt } from './envelopeOf.ts';

const none: readonly string[] = [];

/** The body of a query as text. undefined if its request has none. */
export function requestBody(operation: Operation, query: object): string | undefined {
  const { spec } = operation;
  const plan = planOf(operation);
  if (!plan.hasBody) return undefined;
  const params = [...plan.body, ...undeclared(operation, query)];
  if (params.length === 0 && spec.body === undefined) return undefined;
  const values = sentValues(operation, query);
  if (spec.bodyAs === 'form') {
    const pairs = new Map(Object.entries(spec.body ?? {}).map(([wire, value]) => [wire, pairsOf({ wire, style: 'repeat' }, value)]));
    for (const param of params) {
      const value = sentValue(param, values);
      if (value === undefined) continue;
      for (const wire of [param.wire, `${param.wire}[]`]) pairs.delete(wire);
      pairs.set(param.wire, pairsOf(param, value));
    }
    return [...pairs.values()].join('').slice(1);
  }
  const body = structuredClone(spec.body ?? {});
  for (const param of params) {
    const value = sentValue(param, values);
    if (value !== undefined)
      setAt(body, param.at, isNumber(operation, param.name) && isLongInteger(value) ? `${bare}${value as string}${bare}` : value);
  }
  return JSON.stringify(body).replaceAll(bareNumber, '$1');
}

/** Stands around digits that JSON has as a number, though JavaScript can't hold it. Not a character of Unicode, so in no other text. */
const bare = '\uFFFF';
const bareNumber = /"\uFFFF(-?\d+)\uFFFF"/g;

function isNumber(operation: Operation, name: string): boolean {
  const type = operation.params[name]?.type;
  return type === 'integer' || type === 'number';
}

/** The headers that a query's parameters give, as a flat list of names and values. */
export function requestHeaders(operation: Operation, query: object): readonly string[] {
  const { header } = planOf(operation);
  if (header.length === 0) return none;
  const values = sentValues(operation, query);
  return header.flatMap((param) => {
    const value = sentValue(param, values);
    return value === undefined ? [] : [param.wire, Array.isArray(value) ? value.join(', ') : textOfValue(value)];
  });
}

const digests = new WeakMap<Operation, string>();

/** What its query doesn't say of a request, as a digest: method, fixed parameters, headers and body. '' for a plain GET. */
export function requestDigest(operation: Operation): string {
  let digest = digests.get(operation);
  if (digest === undefined) digests.set(operation, (digest = digestOf(operation.spec)));
  return digest;
}

function digestOf({ method = 'GET', path, body, bodyAs, fixed, headers }: Operation['spec']): string {
  if (method === 'GET' && fixed === undefined && headers === undefined) return '';
  const { hash } = process.getBuiltinModule('node:crypto'); // few services need it, and loading it takes 3 ms
  return hash('sha256', canonicalJson([method, path, { body, bodyAs, fixed, headers }]), 'base64url').slice(0, 22);
}
