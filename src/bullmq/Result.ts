import { gunzipSync, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { PlainFailure } from '../client/attempt/PlainFailure.ts';
import type { Payload } from '../client/answer/parseAnswer.ts';

/** What a worker brings back for a job. */
export type Result = { readonly answer: Payload; readonly bytes: number } | { readonly failure: PlainFailure };

const worthPacking = 4096;
const pack = promisify(gzip);

/** A result as text; large ones are compressed. `clean` is applied to the text as a whole. */
export async function encodeResult(result: Result, clean: (text: string) => string): Promise<string> {
  const text = clean(JSON.stringify(result));
  return text.length < worthPacking ? text : (await pack(text, { level: 1 })).toString('base64');
}

export function decodeResult(text: string): Result {
  const plain = text.startsWith('{') ? text : gunzipSync(Buffer.from(text, 'base64')).toString();
  return JSON.parse(plain) as Result;
}
