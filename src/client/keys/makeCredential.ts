import { oncePer } from '../../../operators/kit/once.ts';
import type { Given } from '../options/resolveKey.ts';
import type { Credential, CredentialTools, Proof } from './Credential.ts';
import { tokenOf } from '../../contract/EnvelopeSpec.ts';
import { valuesOfKey } from '../../contract/TokenSpec.ts';
import { tokenCredential } from './tokenCredential.ts';
import { Renewed, type Made, keyMistake } from './Renewed.ts';
import type { SignedHeaders, SigningKey, UnsignedRequest, KeySpec } from '../../contract/index.ts';
import type { Secrets } from './Secrets.ts';
import { messageOf } from '../../errors/TrawlerError.ts';

/** How the keys go along with requests as their service says. */
export function makeCredential(spec: KeySpec | undefined, given: Given, tools: CredentialTools): Credential {
  const credential = keyCredential(spec, given, tools);
  if (given.secrets.length === 0) return credential;
  for (const [secret, value] of given.secrets) tools.secrets.add(value, 'param' in secret ? secret.param : undefined);
  return besides(credential, given.secrets);
}

/** Adds other keys to what a credential carries. */
function besides(credential: Credential, secrets: Given['secrets']): Credential {
  const headers = secrets.flatMap(([spec, value]) => ('param' in spec ? [] : [spec.header, `${spec.prefix ?? ''}${value}`]));
  const params = secrets.flatMap(([spec, value]) => ('param' in spec ? [[spec.param, value] as [string, string]] : []));
  const more = new URLSearchParams(params).toString();
  const own = new WeakMap<Proof, Proof>();
  /** The same proof is the same object. */
  const withAll = oncePer((proof: Proof): Proof => {
    const pairs = [proof.pairs, more].filter((part) => part !== undefined && part !== '').join('&');
    const made = { headers: [...proof.headers, ...headers], ...(pairs === '' ? {} : { pairs }) };
    own.set(made, proof);
    return made;
  });
  return {
    ...credential,
    carry() {
      const proof = credential.carry();
      return proof instanceof Promise ? proof.then(withAll) : withAll(proof);
    },
    refused: (carried) => credential.refused(own.get(carried)!),
  };
}

/** How the first key goes along. What is made of it is a secret, too. */
function keyCredential(spec: KeySpec | undefined, given: Given, tools: CredentialTools): Credential {
  const { key } = given;
  const { secrets, settings } = tools;
  secrets.add(key, spec !== undefined && 'param' in spec ? spec.param : undefined);
  if (spec === undefined) return lasting({ headers: [] });
  const requested = tokenOf(spec);
  if (requested !== undefined) return tokenCredential(requested, carrierOf(spec), given, tools);
  if ('sign' in spec) return { ...lasting({ headers: [] }), sign: signer(spec, key, secrets) };
  if ('param' in spec) return lasting(carrierOf(spec)(key));
  if ('basic' in spec) {
    const { secret = '', basic } = valuesOfKey(key);
    secrets.add(basic);
    secrets.add(secret);
    return lasting({ headers: ['authorization', `Basic ${basic}`] });
  }
  if ('oauth2' in spec || spec.value === undefined) return lasting(carrierOf(spec)(key));
  const { header, value } = spec;
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

/** Makes what goes along of a key or a token. */
function carrierOf(spec: KeySpec): (key: string) => Proof {
  if ('param' in spec) return (key) => ({ headers: [], pairs: new URLSearchParams([[spec.param, key]]).toString() });
  const { header, prefix = '' } = 'header' in spec ? spec : { header: 'authorization', prefix: 'Bearer ' };
  return (key) => ({ headers: [header, `${prefix}${key}`] });
}

function lasting(carried: Proof): Credential {
  return { carry: () => carried, refused: () => false };
}

/** Longer than a time, as signatures contain it. */
const shortestSignature = 17;

/** Signs requests. What it makes is a secret, too, because some services take it for a while. */
function signer({ sign }: SigningKey, key: string, secrets: Secrets): (request: UnsignedRequest) => Promise<SignedHeaders> {
  return async (request) => {
    let headers: SignedHeaders;
    try {
      headers = await sign(request, key);
    } catch (error) {
      throw keyMistake(`the service's key.sign failed: ${messageOf(error)}`);
    }
    for (const [name, value] of Object.entries(checked(headers))) {
      const signature = value.slice(value.lastIndexOf(' ') + 1);
      if (signature.length >= shortestSignature && !/^[\dTZ:.+-]+$/.test(signature) && request.headers[name.toLowerCase()] !== value)
        secrets.addPassing(signature);
    }
    return headers;
  };
}

function checked(headers: SignedHeaders): SignedHeaders {
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (!isObject || Object.values(headers).some((value) => typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)))
    throw keyMistake("the service's key.sign must give an object of headers, each a text of one line");
  return headers;
}
