import type { TableView } from './TableView.ts';

/**
 * What each line of JSONL that fits a view contains, for a search in its bytes as text of one character per byte. Lines that don't
 * fit may contain it, too. undefined: the bytes tell nothing.
 */
export function linePattern({ search, filters }: TableView): RegExp | undefined {
  const patterns = [textPattern(search)];
  for (const { kind, value } of filters) {
    if (kind === 'is') patterns.push(valuePattern(value) ?? textPattern(value));
    if (kind === 'has') patterns.push(textPattern(value));
  }
  const longest = patterns.filter((one) => one !== undefined).toSorted((one, other) => other.length - one.length)[0];
  return longest === undefined ? undefined : new RegExp(longest, 'gi');
}

/** These may be written in another way, or have something else between them in a file than in a cell. */
const breaks = /[\p{Cc}\p{Cs}\p{Mn}"\\/,:[\]{}σς]/u;
const onlyNumber = /^[-+.\de]*$/i;
/** A number that may not be written as in a cell: with an exponent, with a fraction that ends in 0, or with many digits. */
const otherNumber = String.raw`[:,[\s]-?(?:\d+(?:\.\d*0[,}\]\s]|(?:\.\d*)?e)|[\d.]{17})`;

function valuePattern(value: string): string | undefined {
  const isText = !breaks.test(value) && !onlyNumber.test(value) && value !== 'true' && value !== 'false';
  return isText ? escaped(`"${bytesOf(value)}"`) : undefined;
}

/** The longest part of a text that a file can only have in one way but for capitals. Numbers may be written otherwise. */
function textPattern(text: string): string | undefined {
  const parts = text
    .toLowerCase()
    .split(new RegExp(breaks, 'gu'))
    .toSorted((one, other) => Number(onlyNumber.test(one)) - Number(onlyNumber.test(other)) || other.length - one.length);
  const [longest = ''] = parts;
  if (longest === '') return undefined;
  const pattern = Array.from(longest, spellings).join('');
  return onlyNumber.test(longest) ? `${pattern}|${otherNumber}` : pattern;
}

/** Each character that becomes this one in small letters. */
function spellings(char: string): string {
  const all = [char, ...(capitals().get(char) ?? [])].map((one) => escaped(bytesOf(one)));
  return all.length === 1 ? all[0]! : `(?:${all.join('|')})`;
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

const lastCapital = 0x1ffff;
let found: Map<string, string[]> | undefined;

/** Characters outside ASCII by what they are in small letters. */
function capitals(): ReadonlyMap<string, readonly string[]> {
  if (found !== undefined) return found;
  found = new Map([['i', ['İ']]]); // which becomes two
  for (let code = 0x80; code <= lastCapital; code += 1) {
    const char = String.fromCodePoint(code);
    const small = char.toLowerCase();
    if (small !== char) found.set(small, [...(found.get(small) ?? []), char]);
  }
  return found;
}
