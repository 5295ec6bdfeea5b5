import type { KeySpec } from '../../contract/KeySpec.ts';
import type { Credential, CredentialTools, Proof } from './Credential.ts';
import type { Given } from './Given.ts';
import { keyParts } from './keyParts.ts';
import { oauth2Credential } from './oauth2Credential.ts';
import { Renewed, type Made } from './Renewed.ts';
import { signer } from './signer.ts';

/** How a key goes along with requests as its service says. What is made of the key is a secret, too. */
export function makeCredential(spec: KeySpec | undefined, given: Given, tools: CredentialTools): Credential {
  const { key } = given;
  const { secrets, settings } = tools;
  secrets.add(key, spec !== undefined && 'param' in spec ? spec.param : undefined);
  if (spec === undefined) return lasting({ headers: [] });
  if ('oauth2' in spec) return oauth2Credential(spec.oauth2, given, tools);
  if ('sign' in spec) return { ...lasting({ headers: [] }), sign: signer(spec, key, secrets) };
  if ('param' in spec)
    return lasting({ headers: [], param: { name: spec.param, pair: new URLSearchParams([[spec.param, key]]).toString() } });
  if ('basic' in spec) {
    const { secret = '', basic } = keyParts(key);
    secrets.add(basic);
    secrets.add(secret);
    return lasting({ headers: ['authorization', `Basic ${basic}`] });
  }
  const { header, value } = spec;
  if (value === undefined) return lasting({ headers: [header, key] });
  const made = (text: string): Made => {
    if (typeof text !== 'string') throw new TypeError('key.value must return text');
    if (!text.includes(key)) secrets.addPassing(text.slice(text.lastIndexOf(' ') + 1));
    return { carried: { headers: [header, text] }, until: Infinity };
  };
  return new Renewed(() => {
    const text = value(key);
    return typeof text === 'string' ? made(text) : Promise.resolve(text).then(made);
  }, settings.clock);
}

function lasting(carried: Proof): Credential {
  return { carry: () => carried, refused: () => false };
}
