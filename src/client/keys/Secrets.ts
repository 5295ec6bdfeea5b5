import { findSpelled, hasOddSpellings, type Needle } from './spellings.ts';
import type { AttemptFailure } from '../attempt/AttemptFailure.ts';

/** A shorter one may be a word of a row. */
const shortestSecret = 8;
const fewestPassing = 16;
const instead = '[key]';

const whole = (secret: string): readonly Needle[] => needlesOf(secret, secret.length < shortestSecret ? { alone: 'both' } : {});

/**
 * What must be in nothing that is written, printed or thrown: the key, and what is made of it. It is found however each of its
 * characters is spelled: as it is, percent-encoded once or twice, as an entity of XML, or as an escape of JSON, which may stand in
 * JSON again. Base64 is known of a key as a whole, alone and together with the user of HTTP Basic.
 */
export class Secrets {
  readonly #lasting = new Map<string, readonly Needle[]>();
  /** Tokens: the last few, because a late response may repeat an old one. */
  readonly #passing = new Map<string, readonly Needle[]>();
  readonly #maxPassing: number;
  #needles: readonly Needle[] = [];
  /** Short secrets. */
  #short: readonly Needle[] = [];
  /** A body without these, and without letters that are spelled oddly, holds no secret. */
  #signs: readonly Buffer[] = [];
  /** Every secret, as a string or a number of JSON may be. */
  #wholes: ReadonlySet<string> = new Set();

  /** `passing`: how many secrets that are replaced may be on their way at once. */
  constructor(passing = 0) {
    this.#maxPassing = Math.max(fewestPassing, passing);
  }

  /** `param`: the parameter whose value it is in an address. There it is known however short it is. */
  add(secret: string, param?: string): void {
    if (secret === '') return;
    const isShort = secret.length < shortestSecret;
    const inBase64 = isShort ? [] : (['base64', 'base64url'] as const).map((form) => Buffer.from(secret).toString(form).replace(/=+$/, ''));
    const named = isShort && param !== undefined ? needlesOf(`${param}=${secret}`, { kept: latin1(param).length + 1, alone: 'end' }) : [];
    this.#lasting.set(secret, [...whole(secret), ...inBase64.flatMap(whole), ...named]);
    this.#gather();
  }

  /** Adds a secret that another one replaces later. */
  addPassing(secret: string): void {
    if (secret === '' || this.#lasting.has(secret) || this.#passing.has(secret)) return;
    this.#passing.set(secret, whole(secret));
    if (this.#passing.size > this.#maxPassing) this.#passing.delete(this.#passing.keys().next().value!);
    this.#gather();
  }

  /** Whether bodies are rid of secrets. */
  get clean(): boolean {
    return this.#needles.length > 0;
  }

  /** A text for people without secrets, in case the service or a dispatcher repeated one. A short one is known where it stands alone. */
  redact(text: string): string {
    const bytes = Buffer.from(text).toString('latin1');
    const redacted = hide(bytes, [...this.#needles, ...this.#short], false);
    return redacted === bytes ? text : Buffer.from(redacted, 'latin1').toString();
  }

  /**
   * A body without secrets, before it is parsed or cut. JSON stays JSON. A short secret is left in, because it may be a word of a
   * row. `short`: a text that is nothing but a short secret is replaced, too.
   */
  cleaned(body: Buffer, short?: 'short'): Buffer {
    const mayHold = this.#mayHold(body);
    if (!mayHold && !(short !== undefined && this.#short.some(({ text }) => body.includes(`"${jsonOf(text)}"`)))) return body;
    const text = body.toString('latin1');
    const cleaned = /^(?:\u00EF\u00BB\u00BF)?\s*[[{]/.test(text) ? this.cleanedJson(text, short) : this.cleanedText(text);
    return cleaned === text ? body : Buffer.from(cleaned, 'latin1');
  }

  /** The same for a text that is read further, such as a `Link` header. */
  cleanedText(text: string, short?: 'short'): string {
    return short !== undefined && this.#wholes.has(text) ? instead : hide(text, this.#needles, false);
  }

  /** The same for JSON as text. It looks into strings only, so that what is left is JSON. A number that is a secret becomes 0. */
  cleanedJson(text: string, short?: 'short'): string {
    const numbers = (part: string): string =>
      part.replace(number, (each) => (each.length >= shortestSecret && this.#wholes.has(each) ? '0' : each));
    let cleaned = '';
    let at = 0;
    for (let begin = text.indexOf('"'); begin >= 0; begin = text.indexOf('"', at)) {
      cleaned += numbers(text.slice(at, begin));
      at = endOfString(text, begin);
      const string = text.slice(begin + 1, text[at - 1] === '"' && at > begin + 1 ? at - 1 : at);
      const isShort = short !== undefined && this.#wholes.has(string) && !isName(text, at);
      cleaned += `"${isShort ? instead : hide(string, this.#needles, true)}${text.slice(begin + 1 + string.length, at)}`;
    }
    return cleaned + numbers(text.slice(at));
  }

  #gather(): void {
    const secrets = [...this.#lasting, ...this.#passing];
    const all = secrets.flatMap(([, needles]) => needles);
    this.#needles = all.filter(({ alone }) => alone !== 'both');
    this.#short = all.filter(({ alone }) => alone === 'both');
    this.#signs = [...new Set(this.#needles.map(({ text }) => signOf(text)))].map((text) => Buffer.from(text));
    this.#wholes = new Set(secrets.map(([secret]) => latin1(jsonOf(secret))));
  }

  #mayHold(body: Buffer): boolean {
    if (this.#needles.length === 0) return false;
    for (const sign of this.#signs) if (body.includes(sign)) return true;
    return hasOddSpellings(body);
  }
}

/** A text as it may come: also as the bytes of a body, and with the plus that a form has for a blank. */
function needlesOf(text: string, more: Omit<Needle, 'text'> = {}): readonly Needle[] {
  const all = [text, text.replaceAll(' ', '+')];
  return Array.from(new Set([...all, ...all.map(latin1)]), (one) => ({ text: one, ...more }));
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function jsonOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A text with `[key]` in place of what it must not hold. `isJson`: it is what stands in a string of JSON. */
function hide(text: string, needles: readonly Needle[], isJson: boolean): string {
  let hidden = '';
  let at = 0;
  for (const [from, to] of findSpelled(text, needles, isJson)) {
    hidden += text.slice(at, from) + instead;
    at = to;
  }
  return hidden + text.slice(at);
}

const number = /-?\d[\d.eE+-]*/g;

/**
 * What nobody spells in another way: the longest run of letters and digits, from a rare letter on. A search stops wherever the first
 * letter fits, and bodies are full of small letters.
 */
function signOf(text: string): string {
  const [longest = ''] = (text.match(/[A-Za-z\d]+/g) ?? []).toSorted((one, other) => other.length - one.length);
  const at = longest.slice(0, -shortestSecret).search(/[A-Zqxz3-9]/);
  return at < 0 ? longest : longest.slice(at);
}

/** The position after a string that begins at `begin`, or the end of a text that breaks off in it. */
function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text[before] === '\\') before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

/** Whether the string that ends at `end` is the name of a member. */
function isName(text: string, end: number): boolean {
  colon.lastIndex = end;
  return colon.test(text);
}

const colon = /\s*:/y;

/** The number of 403 in a row, without a good response between, that are about the key after all. */
const mostInRow = 10;

/** What is known of a key: whether a 403 is about it, or about a single query, as many services mean it. */
export class KeyTrust {
  /** Those since the last good response. undefined: nothing has come with the key yet. */
  #inRow: number | undefined;

  /** A good response came with the key. */
  accepted(): void {
    this.#inRow = 0;
  }

  /** The failure, which is that of its query if the key is good. A 401 is always about the key. */
  judge(failure: AttemptFailure): AttemptFailure {
    const { kind, details: { status, code } = {} } = failure;
    const isForbidden = status === 403 || (status === 200 && String(code) === '403');
    if (kind !== 'auth' || !isForbidden || this.#inRow === undefined || ++this.#inRow >= mostInRow) return failure;
    const error = status === 403 ? 'HttpError' : 'EnvelopeError';
    return { ...failure, kind: 'final', error, advice: `the key is good for other queries; ${mostInRow} in a row stop this client` };
  }
}
