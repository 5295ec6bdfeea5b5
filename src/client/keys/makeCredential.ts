import type { Given } from '../options/resolveKey.ts';
import type { Credential, CredentialTools, Proof } from './Credential.ts';
import { basicOf, paramOf } from '../../contract/secrets.ts';
import { tokenCredential } from './tokenCredential.ts';
import { keyMistake } from './Renewed.ts';
import type { Sign, SignedHeaders, UnsignedRequest } from '../../contract/index.ts';
import type { Secrets } from './Secrets.ts';
import { messageOf } from '../../errors/TrawlerError.ts';

/** Gives the values of a service's secrets: the key, what is made of it, the service's other secrets, and a token. */
export function makeCredential({ key, values, tokenUrl }: Given, tools: CredentialTools): Credential {
  const { secrets, settings } = tools;
  const { token, sign } = settings.service;
  const basic = basicOf(key);
  const own: Proof = key === '' ? values : { ...values, key, basic };
  if (key !== '') {
    secrets.add(basic);
    if (key.includes(':')) secrets.add(key.slice(key.indexOf(':') + 1));
  }
  for (const [name, value] of Object.entries(own)) secrets.add(value, paramOf(settings.service, name));
  if (token !== undefined && tokenUrl !== undefined) return tokenCredential(token, own, tokenUrl, tools);
  const lasting = { carry: () => own, refused: () => false };
  return sign === undefined ? lasting : { ...lasting, sign: signer(sign, key, secrets) };
}

/** Longer than a time, as signatures contain it. */
const shortestSignature = 17;

/** Signs requests. What it makes is a secret, too, because some services take it for a while. */
function signer(sign: Sign, key: string, secrets: Secrets): (request: UnsignedRequest) => Promise<SignedHeaders> {
  return async (request) => {
    let headers: SignedHeaders;
    try {
      headers = await sign(request, key);
    } catch (error) {
      throw keyMistake(`the service's sign failed: ${messageOf(error)}`);
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
    throw keyMistake("the service's sign must give an object of headers, each a text of one line");
  return headers;
}
