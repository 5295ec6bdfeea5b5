/** A text of a body, one character for each of its bytes, that is looked for however each of its characters is spelled. */
export interface Needle {
  readonly text: string;
  /** The characters at its beginning that stay: they are the name of a parameter. */
  readonly kept?: number | undefined;
  /** It counts only where no letter or digit follows, or stands on either side. */
  readonly alone?: 'end' | 'both' | undefined;
}

/** From one position of a text to another. */
type TextRange = readonly [from: number, to: number];

/**
 * Where needles are in a text: as it is, and with its characters decoded, also where one encoding is within another. `isJson`: the
 * text is what stands in a string of JSON, so nothing begins within one of its escapes. The ranges are in order and apart.
 */
export function findSpelled(text: string, needles: readonly Needle[], isJson: boolean): readonly TextRange[] {
  const found: TextRange[] = [];
  const raw = new View(text);
  const plain = isJson ? raw.decoded(inJson) : raw;
  plain.find(needles, found);
  for (const spelling of [encoded, anywhere]) {
    let view = plain;
    for (let layer = 0; layer < maxLayers; layer += 1) {
      const next = view.decoded(spelling);
      if (next === view) break;
      view = next;
      view.find(needles, found);
    }
  }
  found.sort(([one], [other]) => one - other);
  const apart: [number, number][] = [];
  for (const [from, to] of found) {
    const last = apart.at(-1);
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
    else apart.push([from, to]);
  }
  return apart;
}

const maxLayers = 4;
const escape = String.raw`\\(?:u[\da-f]{4}|[^u])`;
const inAddressOrXml = String.raw`%[\da-f]{2}|&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);`;
const inJson = new RegExp(escape, 'gi');
/** A backslash may also be one. */
const encoded = new RegExp(inAddressOrXml, 'gi');
const anywhere = new RegExp(`${escape}|${inAddressOrXml}`, 'gi');

const [percent, hash] = [37, 35];

/** Whether letters or digits of a body may be spelled as something else, as nobody does without need. It looks at each body. */
export function hasOddSpellings(body: Buffer): boolean {
  for (let at = body.indexOf(percent); at >= 0; at = body.indexOf(percent, at + 1)) if (isOdd(body, at + 1)) return true;
  for (let at = body.indexOf(escaped); at >= 0; at = body.indexOf(escaped, at + 1)) if (isOdd(body, at + escaped.length)) return true;
  return body.includes('&#') || body.includes(';#');
}

const escaped = String.raw`\u00`;

/** Whether two hexadecimal digits stand for a letter or a digit, or for a character that begins a spelling. */
function isOdd(body: Buffer, at: number): boolean {
  const [high, low] = [body[at]! - 48, body[at + 1]!];
  if (high === 2) return low === 51 || low === 53 || (low === 54 && body[at + 2] === hash); // # and % and &#
  if (high === 3) return low < 58;
  return high === 4 || high === 6 ? low !== 48 : (high === 5 || high === 7) && (low < 58 || low === 65 || low === 97);
}

/** A character that was written as several. */
interface Token {
  /** Where it is in the decoded text. */
  readonly at: number;
  readonly length: number;
  /** Where its spelling is in the text before. */
  readonly from: number;
  readonly to: number;
}

/** A text with its characters decoded, and where each came from. */
class View {
  readonly text: string;
  readonly #before: View | undefined;
  readonly #tokens: readonly Token[];

  constructor(text: string, before?: View, tokens: readonly Token[] = []) {
    this.text = text;
    this.#before = before;
    this.#tokens = tokens;
  }

  /** Itself if there is nothing to decode. */
  decoded(spelling: RegExp): View {
    const tokens: Token[] = [];
    let shift = 0;
    const text = this.text.replace(spelling, (token: string, from: number) => {
      const plain = characterOf(token);
      tokens.push({ at: from + shift, length: plain.length, from, to: from + token.length });
      shift += plain.length - token.length;
      return plain;
    });
    return tokens.length === 0 ? this : new View(text, this, tokens);
  }

  find(needles: readonly Needle[], found: TextRange[]): void {
    for (const { text, kept = 0, alone } of needles) {
      for (let at = this.text.indexOf(text); at >= 0; at = this.text.indexOf(text, at + 1)) {
        const end = at + text.length;
        const isApart = alone === undefined || (isEnd(this.text[end]) && (alone === 'end' || isEnd(this.text[at - 1])));
        if (isApart) found.push([this.#origin(at + kept, 'start'), this.#origin(end - 1, 'end')]);
      }
    }
  }

  /** Where the spelling of a character begins or ends in the text that all began with. */
  #origin(at: number, side: 'start' | 'end'): number {
    if (this.#before === undefined) return side === 'start' ? at : at + 1;
    const token = this.#tokens[lastAt(this.#tokens, at)];
    const inside = token !== undefined && at < token.at + token.length;
    const before =
      token === undefined ? at : inside ? (side === 'start' ? token.from : token.to - 1) : at + token.to - token.at - token.length;
    return this.#before.#origin(before, side);
  }
}

/** The index of the last token that begins at a position or before it; -1 if there is none. */
function lastAt(tokens: readonly Token[], at: number): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens[middle]!.at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function isEnd(char: string | undefined): boolean {
  return char === undefined || !/[A-Za-z\d%]/.test(char);
}

const named: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const escapes: { readonly [letter: string]: string } = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** What a spelling stands for, as the bytes of a body have it. */
function characterOf(token: string): string {
  const [first, second = ''] = token;
  if (first === '%') return String.fromCharCode(Number.parseInt(token.slice(1), 16));
  if (first === '\\') return second === 'u' ? bytesOf(Number.parseInt(token.slice(2), 16)) : (escapes[second] ?? second);
  if (second !== '#') return named[token.slice(1, -1).toLowerCase()]!;
  return bytesOf(/^&#x/i.test(token) ? Number.parseInt(token.slice(3), 16) : Number.parseInt(token.slice(2), 10));
}

function bytesOf(code: number): string {
  return code < 0x80 ? String.fromCharCode(code) : Buffer.from(String.fromCodePoint(Math.min(code, 0x10ffff))).toString('latin1');
}
