import { SinkError } from '../../errors/index.ts';

/** `JSON.stringify`, with an error that says what to do; undefined for what JSON doesn't know. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new SinkError(
      `a row can't be written as JSON (${cause instanceof Error ? cause.message.split('\n')[0] : String(cause)}); map such values to text first`,
      { cause },
    );
  }
}
