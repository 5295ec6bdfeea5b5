import { SinkError } from '../../errors/index.ts';
import { messageOf } from '../../errors/TrawlerError.ts';

/** `JSON.stringify` with an error that says what to do. undefined for a value that JSON doesn't have, such as a function. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new SinkError(`a row can't be written as JSON (${messageOf(cause).split('\n')[0]}); map such values to text first`, { cause });
  }
}
