const hidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A value as messages show it: at most 80 characters, without characters that a terminal could act on. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return shorten(`"${escape(value.length > 80 ? value.slice(0, 80) : value)}"`);
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Text from outside without control, format and lone surrogate characters. */
function escape(text: string): string {
  return text.replace(hidden, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** At most 80 characters of `text`. */
export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
