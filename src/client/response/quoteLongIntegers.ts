const zero = 48;
const nine = 57;
const quote = 34;
const point = 46;
const shortest = 16; // digits of an integer that a double may round

/** A number ends with it, unlike an id in quotes. */
const hugeExponent = /\d[eE]\+?\d{3,}(?:[\s,\]}]|$)/;

/**
 * Quotes every number in JSON text that `JSON.parse` can't keep, so that a 64-bit id, or 1e999, arrives as it was sent.
 * Most responses have none and are returned unchanged after a quick check.
 */
export function quoteLongIntegers(text: string): string {
  for (let at = shortest - 1; at < text.length; at += shortest) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end - start >= shortest) {
      const before = text.charCodeAt(start - 1);
      if (before !== quote && before !== point) return quoteUnsafeNumbers(text); // a quoted id or a fraction doesn't count
      at = end;
    }
  }
  return hugeExponent.test(text) ? quoteUnsafeNumbers(text) : text;
}

/**
 * Quotes every number in JSON text that JavaScript can't hold: integers that `JSON.parse` would round, also those
 * written with `.0` or `e0`, and values too large for a number (`1e400`). Text that isn't JSON stays invalid.
 */
export function quoteUnsafeNumbers(text: string): string {
  let result = '';
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (isDigit(code)) {
      const start = text[at - 1] === '-' ? at - 1 : at;
      while (isNumeric(text.charCodeAt(at))) at++;
      const number = text.slice(start, at);
      if (isUnsafe(number) && !/^\s*:/.test(text.slice(at, at + 100))) {
        result += `${text.slice(copied, start)}"${number}"`;
        copied = at;
      }
    } else {
      at++;
    }
  }
  return result + text.slice(copied);
}

function isUnsafe(number: string): boolean {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(number)) return false;
  if (number.length >= shortest && /^-?\d+(?:\.0+)?(?:[eE][+-]?0+)?$/.test(number)) return !Number.isSafeInteger(Number(number));
  return !Number.isFinite(Number(number));
}

/** The position after the closing quote of the string that starts at `start`. The end of the text, if it breaks off in the string. */
export function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/** Digits, point, signs and exponent. */
function isNumeric(code: number): boolean {
  return isDigit(code) || code === point || code === 43 || code === 45 || code === 69 || code === 101;
}
