import type { KeySpec } from '../../contract/KeySpec.ts';
import type { Clock } from '../Clock.ts';
import type { Proof, Credential } from './Credential.ts';
import { Renewed, type Made } from './Renewed.ts';
import type { Secrets } from './Secrets.ts';

/** How a key goes along with requests as its service says. What is made of the key is a secret, too. */
export function makeCredential(spec: KeySpec | undefined, key: string, secrets: Secrets, clock: Clock): Credential {
  secrets.add(key, spec !== undefined && 'param' in spec ? spec.param : undefined);
  if (spec === undefined) return lasting({ headers: [] });
  if ('param' in spec)
    return lasting({ headers: [], param: { name: spec.param, pair: new URLSearchParams([[spec.param, key]]).toString() } });
  if ('basic' in spec) {
    const encoded = Buffer.from(key.includes(':') ? key : `${key}:`).toString('base64');
    secrets.add(encoded);
    const colon = key.indexOf(':');
    if (colon >= 0 && key.length > colon + 1) secrets.add(key.slice(colon + 1));
    return lasting({ headers: ['authorization', `Basic ${encoded}`] });
  }
  const { header, value } = spec;
  if (value === undefined) return lasting({ headers: [header, key] });
  const made = (text: string): Made => {
    if (typeof text !== 'string') throw new TypeError('key.value gave no text');
    if (!text.includes(key)) secrets.addPassing(text.slice(text.lastIndexOf(' ') + 1));
    return { carried: { headers: [header, text] }, until: Infinity };
  };
  return new Renewed(() => {
    const text = value(key);
    return typeof text === 'string' ? made(text) : Promise.resolve(text).then(made);
  }, clock);
}

function lasting(carried: Proof): Credential {
  return { carry: () => carried, refused: () => false };
}
