import type { SignedHeaders, SigningKey, UnsignedRequest } from '../../contract/index.ts';
import { keyMistake } from './keyFailure.ts';
import type { Secrets } from './Secrets.ts';
import { messageOf } from '../../errors/messageOf.ts';

/** Longer than a time, as signatures contain it. */
const shortestSignature = 17;

/** Signs requests. What it makes is a secret, too, because some services take it for a while. */
export function signer({ sign }: SigningKey, key: string, secrets: Secrets): (request: UnsignedRequest) => Promise<SignedHeaders> {
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
