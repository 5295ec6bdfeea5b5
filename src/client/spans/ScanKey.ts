import type { ResponseIssue } from '../../contract/index.ts';

/** A key of an object, with the rule of its value. */
export class ScanKey<Rule> {
  readonly rule: Rule;
  /** What to report if an object lacks it. undefined: it isn't documented. */
  readonly missing: ResponseIssue | undefined;
  /** The last object that had it. */
  seenIn = 0;
  /** The key that followed it the last time. */
  next: ScanKey<Rule> | undefined;
  /** The length of `"key":`, as it stands in the body. */
  readonly length: number;
  /** Its bytes, four in a word. The last word begins four bytes before the end. */
  readonly #words: Int32Array;

  /** `token` is `"key":` as it stands in the body, one character for each byte. */
  constructor(token: string, rule: Rule, missing: ResponseIssue | undefined) {
    this.rule = rule;
    this.missing = missing;
    this.length = token.length;
    this.#words = wordsOf(token);
  }

  /** Whether the key stands at this offset. A third faster than comparing bytes, and half as slow as `startsWith`. */
  isAt(body: DataView, offset: number): boolean {
    const words = this.#words;
    const last = offset + this.length - 4;
    if (last + 4 > body.byteLength) return false;
    for (let word = 0, at = offset; at < last; word++, at += 4) if (body.getInt32(at, true) !== words[word]) return false;
    return body.getInt32(last, true) === words[words.length - 1];
  }
}

function wordsOf(token: string): Int32Array {
  const bytes = Buffer.from(token, 'latin1');
  const offsets = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, word) => Math.min(word * 4, bytes.length - 4));
  return Int32Array.from(offsets, (offset) => bytes.readInt32LE(offset));
}
