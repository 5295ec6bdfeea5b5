// Control characters (C0, DEL, C1), and characters that change the direction of text or are invisible.
// oxlint-disable-next-line no-control-regex -- these are what must not get through
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

/** Makes text safe to print on a terminal. Control characters and bidirectional ones are spelt out as `\u001b`. */
export function escapeForTerminal(text: string): string {
  return text.replace(unseen, spellOut);
}

/** The same for each line of a text. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeForTerminal).join('\n');
}

/** A value as JSON that is safe to print, in a line or indented. Infinity, which JSON lacks, is null. */
export function printedJson(value: unknown, spaces: number = 0): string {
  return `${JSON.stringify(value, undefined, spaces).replace(unseen, (char) => (char === '\n' ? char : spellOut(char)))}\n`;
}

function spellOut(char: string): string {
  return char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
