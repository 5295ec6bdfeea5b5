import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { canonicalJson } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { type KeySpec, tokenOf } from '../contract/EnvelopeSpec.ts';
import { setAt } from '../contract/envelopeOf.ts';
import { filledWith, type TokenSpec, valuesOfKey } from '../contract/TokenSpec.ts';
import type { Service } from '../contract/index.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';

interface KeyedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly search: URLSearchParams;
}

/**
 * Throws a SandboxRefusal if a request lacks the key. What a service makes of its key must be there, and so must a signature;
 * neither is looked into.
 */
export function checkKeys({ key, secrets = {} }: Pick<Service, 'key' | 'secrets'>, request: KeyedRequest, apiKey: string): void {
  checkKey(key, request, apiKey);
  for (const [name, spec] of Object.entries(secrets)) {
    const value = 'param' in spec ? request.search.get(spec.param) : request.headers[spec.header.toLowerCase()];
    if ('param' in spec) request.search.delete(spec.param);
    refuseUnless(Boolean(value), value, `the secret ${name}`);
  }
}

function checkKey(spec: KeySpec | undefined, { headers, search }: KeyedRequest, apiKey: string): void {
  if (spec === undefined || 'sign' in spec) return;
  const wanted = tokenOf(spec) === undefined ? apiKey : accessToken(apiKey);
  if ('param' in spec) {
    const key = search.get(spec.param);
    search.delete(spec.param);
    return refuseUnless(key === wanted, key, `the parameter ${spec.param}`);
  }
  const { header, prefix = '', value } = 'header' in spec ? spec : { header: 'authorization', prefix: 'Bearer ' };
  const key = headers[header.toLowerCase()];
  const right = 'basic' in spec ? `Basic ${valuesOfKey(apiKey).basic}` : `${prefix}${wanted}`;
  refuseUnless(value === undefined ? key === right : key !== undefined, key, `the header ${header}`);
}

/** Where a service gives tokens. undefined: nowhere. */
export function tokenPath(spec: KeySpec | undefined): string | undefined {
  const requested = tokenOf(spec);
  return requested && new URL(requested.token.path, 'http://sandbox').pathname;
}

/** A token, for who sends what its description says. Throws a SandboxRefusal for others. Users, passwords and refresh tokens are not looked into. */
export function giveToken(token: TokenSpec, { headers, search }: KeyedRequest, body: string, apiKey: string): GivenToken {
  const { params = {}, json, form, at, inHeader, expires } = token;
  const bodyFields = json === undefined ? Object.fromEntries(new URLSearchParams(body)) : parsedJson(body);
  if (typeof bodyFields !== 'object' || bodyFields === null) throw new SandboxRefusal(400, 'the body is not a JSON object');
  const sent = { headers, params: Object.fromEntries(search), body: bodyFields };
  const wanted = filledWith({ headers: token.headers ?? {}, params, body: json ?? form ?? {} }, valuesOfKey(apiKey));
  for (const [part, fields] of Object.entries(wanted) as [keyof typeof wanted, object][])
    for (const [field, value] of Object.entries(fields)) {
      const got = ownValue(sent[part], part === 'headers' ? field.toLowerCase() : field);
      refuseUnless(canonicalJson(got ?? null) === canonicalJson(value), got, `${field} of the request for a token`);
    }
  const given = accessToken(apiKey);
  const fields = {};
  if (typeof expires === 'string') setAt(fields, expires.split('.'), 3600);
  if (inHeader !== undefined) return { headers: { [inHeader]: given }, body: fields };
  if (at === '') return { headers: {}, body: given };
  setAt(fields, at!.split('.'), given);
  return { headers: {}, body: fields };
}

interface GivenToken {
  readonly headers: { readonly [name: string]: string };
  readonly body: unknown;
}

function accessToken(apiKey: string): string {
  return createHash('sha256').update(`access ${apiKey}`).digest('base64url');
}

function refuseUnless(isRight: boolean, key: unknown, where: string): void {
  if (!isRight) throw new SandboxRefusal(401, key === undefined || key === null ? `${where} is missing` : 'this API key is not known');
}
