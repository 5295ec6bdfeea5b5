import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { KeySpec, OAuth2Spec } from '../contract/EnvelopeSpec.ts';
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
  if ('param' in spec) {
    const key = search.get(spec.param);
    search.delete(spec.param);
    return refuseUnless(key === apiKey, key, `the parameter ${spec.param}`);
  }
  const name = 'header' in spec ? spec.header : 'authorization';
  const key = headers[name.toLowerCase()];
  if ('header' in spec) {
    const { prefix = '', value } = spec;
    return refuseUnless(value === undefined ? key === `${prefix}${apiKey}` : key !== undefined, key, `the header ${name}`);
  }
  refuseUnless(key === ('basic' in spec ? basic(apiKey) : `Bearer ${accessToken(apiKey)}`), key, `the header ${name}`);
}

/** Where a service gives access tokens. undefined: nowhere. */
export function tokenPath(spec: KeySpec | undefined): string | undefined {
  return spec !== undefined && 'oauth2' in spec ? new URL(spec.oauth2.address, 'http://sandbox').pathname : undefined;
}

/** An access token, for who has the key. Throws a SandboxRefusal for others. */
export function giveToken({ grant }: OAuth2Spec, headers: IncomingHttpHeaders, body: string, apiKey: string): object {
  const form = new URLSearchParams(body);
  const sent = `${form.get('client_id') ?? ''}${form.has('client_secret') ? `:${form.get('client_secret')}` : ''}`;
  const given = headers.authorization ?? (sent === '' ? undefined : basic(sent));
  refuseUnless(given === basic(apiKey), given, 'the key of the application');
  if (form.get('grant_type') !== grant) throw new SandboxRefusal(400, `grant_type must be ${grant}`);
  return { access_token: accessToken(apiKey), token_type: 'bearer', expires_in: 3600 };
}

function accessToken(apiKey: string): string {
  return createHash('sha256').update(`access ${apiKey}`).digest('base64url');
}

function basic(key: string): string {
  return `Basic ${Buffer.from(key.includes(':') ? key : `${key}:`).toString('base64')}`;
}

function refuseUnless(isRight: boolean, key: unknown, where: string): void {
  if (!isRight) throw new SandboxRefusal(401, key === undefined || key === null ? `${where} is missing` : 'this API key is not known');
}
