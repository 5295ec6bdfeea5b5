import { parsedJson } from '../../../operators/kit/parsedJson.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';

const words = ['message', 'info', 'detail', 'details', 'description', 'reason', 'title'];

/** What an error in a body says. undefined: it is null, false, 0 or empty, so there is none. */
export function saidIn(error: unknown): string | undefined {
  if (typeof error === 'string') return error.trim() === '' ? undefined : error;
  if (typeof error !== 'object' || error === null)
    return error === undefined || error === null || !error ? undefined : `${error as number}`;
  const values: readonly unknown[] = Object.values(error);
  if (values.length === 0) return undefined;
  if (Array.isArray(error)) return saidIn(values[0]) ?? JSON.stringify(error);
  const said = words.map((word) => ownValue(error, word)).find((value) => typeof value === 'string' && value !== '');
  return typeof said === 'string' ? said : JSON.stringify(error);
}

/** What the body of a refusal says, in its own words if it has some. Otherwise it is shown as it is. */
export function saidInBody(body: Buffer): string {
  const text = body.toString('utf8', 0, 200);
  if (!/^\s*[{[]/.test(text)) return text;
  const parsed = parsedJson(body.toString());
  return undeclaredError(parsed) ?? saidIn(parsed) ?? text;
}

/** The error in a body whose service declares no place for one. It means something only where the rows are missing. */
export function undeclaredError(body: unknown): string | undefined {
  return saidIn(ownValue(body, 'error')) ?? saidIn(ownValue(body, 'errors'));
}

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** Text that is safe to print: control, bidirectional and invisible characters are escaped. */
export function printable(text: string): string {
  return text.replace(invisible, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The first 200 characters of what a service said, in quotes and safe to print. */
export function beginningOf(text: string): string {
  return `"${printable(text.slice(0, 200))}"${text.length > 200 ? '…' : ''}`;
}
