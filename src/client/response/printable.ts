const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** Text that is safe to print: control, bidirectional and invisible characters are escaped. */
export function printable(text: string): string {
  return text.replace(invisible, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The first 200 characters of what a service said, in quotes and safe to print. */
export function beginningOf(text: string): string {
  return `"${printable(text.slice(0, 200))}"${text.length > 200 ? '…' : ''}`;
}
