import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { canonicalJson } from '../../operators/kit/canonicalJson.ts';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { setAt } from '../contract/envelopeOf.ts';
import { headerIn } from '../contract/pagingOf.ts';
import { planOf, type RequestField, routeOf } from '../contract/request.ts';
import { basicOf } from '../contract/secrets.ts';
import type { TokenSpec } from '../contract/Service.ts';
import { readValues, templateOf } from '../contract/template.ts';
import type { Operation } from '../contract/index.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';

interface KeyedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly search: URLSearchParams;
}

/** Throws a SandboxRefusal if a request lacks a secret. Signatures and secrets other than the key must be there, but may be anything. */
export function checkKeys(operation: Operation, { headers, search }: KeyedRequest, apiKey: string): void {
  const { secret } = planOf(operation);
  for (const field of secret.headers) checkSecret(field, headers[field.wire.toLowerCase()], `the header ${field.wire}`, apiKey);
  for (const field of secret.query) {
    checkSecret(field, search.get(field.wire), `the parameter ${field.wire}`, apiKey);
    search.delete(field.wire);
  }
}

function checkSecret({ template }: Pick<RequestField, 'template'>, given: unknown, where: string, apiKey: string): void {
  const wanted: { readonly [name: string]: string } = { key: apiKey, basic: basicOf(apiKey), token: accessToken(apiKey) };
  let isRight = false;
  readValues(template, given, ({ name }, value) => (isRight = name in wanted ? value === wanted[name] : Boolean(value)));
  refuseUnless(isRight, given, where);
}

/** The path where a service gives tokens. undefined: it gives none. */
export function tokenPath(token: TokenSpec | undefined): string | undefined {
  return token && new URL(routeOf(token).path, 'http://sandbox').pathname;
}

/**
 * The response to a request for a token. Throws a SandboxRefusal if the request isn't as the description says. Refresh tokens and secrets
 * other than the key may be anything.
 */
export function giveToken(token: TokenSpec, { headers, search }: KeyedRequest, body: string, apiKey: string): GivenToken {
  const { at, expires } = token;
  const sent = token.body === undefined ? Object.fromEntries(new URLSearchParams(body)) : parsedJson(body);
  if (typeof sent !== 'object' || sent === null) throw new SandboxRefusal(400, 'the body is not a JSON object');
  const parts = [
    [token.headers, (field: string) => headers[field.toLowerCase()]],
    [token.query, (field: string) => search.get(field)],
    [token.body ?? token.form, (field: string) => (sent as { readonly [field: string]: unknown })[field]],
  ] as const;
  for (const [wanted = {}, of] of parts)
    for (const [wire, value] of Object.entries(wanted)) {
      const template = templateOf(value);
      const where = `${wire} of the request for a token`;
      if (template.kind === 'slot' || template.kind === 'text') checkSecret({ template }, of(wire), where, apiKey);
      else if (template.kind === 'constant') refuseUnless(canonicalJson(of(wire) ?? null) === canonicalJson(value), of(wire), where);
      else readValues(template, of(wire), (slot, given) => checkSecret({ template: { kind: 'slot', slot } }, given, where, apiKey));
    }
  const given = accessToken(apiKey);
  const fields = {};
  if (typeof expires === 'string') setAt(fields, expires.split('.'), 3600);
  const header = headerIn(at);
  if (header !== undefined) return { headers: { [header]: given }, body: fields };
  if (at === '') return { headers: {}, body: given };
  setAt(fields, at.split('.'), given);
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
