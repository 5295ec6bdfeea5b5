import { TrawlerError } from '../../errors/index.ts';

/** Returns the key if it is valid in a header. The errors never show it. */
export function checkKey(key: unknown): string {
  if (key === undefined || key === '') {
    throw new TrawlerError('createClient: apiKey is missing; give it as an option or set TRAWLER_API_KEY');
  }
  if (typeof key !== 'string') throw new RangeError(`createClient: apiKey must be text, not ${typeof key}`);
  if (key.trim() !== key)
    throw new RangeError('createClient: apiKey starts or ends with a blank or a line break; was it read from a file?');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new RangeError('createClient: apiKey holds a character that a header cannot carry');
  return key;
}
