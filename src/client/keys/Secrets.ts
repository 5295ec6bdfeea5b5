import { endOfString } from '../response/quoteLongIntegers.ts';

/** A shorter one may be a word of a row. */
const shortestSecret = 8;
const fewestPassing = 16;
const instead = '[key]';

/**
 * What must be in nothing that is written, printed or thrown: the key, and what is made of it. Each is looked for as it is,
 * percent-encoded, and escaped as in JSON. What HTTP Basic makes of it in base64 is a secret of its own. A short secret is looked
 * for where it stands alone in a text for people, and after its parameter in an address.
 */
export class Secrets {
  /** Each with its parameter in an address, if it has one. */
  readonly #lasting = new Map<string, string | undefined>();
  /** Tokens: the last few, because a late response may repeat an old one. */
  readonly #passing = new Map<string, undefined>();
  readonly #maxPassing: number;
  /** A body without these holds no secret. */
  #signs: readonly string[] = [];
  #inBody = never;
  #inJson = never;
  #inText = never;
  /** The beginning of a secret at the end of a text. */
  #begun = new RegExp('(?!)');
  #longest = 0;

  /** `passing`: how many secrets that are replaced may be on their way at once. */
  constructor(passing = 0) {
    this.#maxPassing = Math.max(fewestPassing, passing);
  }

  /** `param`: the parameter whose value it is in an address. There it is known however short it is. */
  add(secret: string, param?: string): void {
    if (secret === '') return;
    this.#lasting.set(secret, param);
    this.#gather();
  }

  /** Adds a secret that another one replaces later. */
  addPassing(secret: string): void {
    if (secret === '' || this.#lasting.has(secret) || this.#passing.has(secret)) return;
    this.#passing.set(secret, undefined);
    if (this.#passing.size > this.#maxPassing) this.#passing.delete(this.#passing.keys().next().value!);
    this.#gather();
  }

  /** Whether bodies are rid of secrets. */
  get clean(): boolean {
    return this.#inBody !== never;
  }

  /** A text for people without secrets, in case the service or a dispatcher repeated one. */
  redact(text: string): string {
    return text.replace(this.#inText, instead);
  }

  /** A body without secrets, before it is parsed or cut. JSON stays JSON. A short secret is left in. */
  cleaned(body: Buffer): Buffer {
    let mayHold = false;
    for (const sign of this.#signs) mayHold ||= body.includes(sign);
    if (!mayHold) return body;
    const text = body.toString('latin1');
    const cleaned = /^(?:\u00EF\u00BB\u00BF)?\s*[[{]/.test(text) ? this.cleanedJson(text) : this.cleanedText(text);
    return cleaned === text ? body : Buffer.from(cleaned, 'latin1');
  }

  /** The same for a text that is read further, such as a `Link` header. */
  cleanedText(text: string): string {
    return text.replace(this.#inBody, instead);
  }

  /** The same for JSON as text. It looks into strings only, so that what is left is JSON. A number that is a secret becomes 0. */
  cleanedJson(text: string): string {
    const isKey = (part: string): boolean => part.length >= shortestSecret && (this.#lasting.has(part) || this.#passing.has(part));
    const numbers = (part: string): string => part.replace(/-?\d[\d.eE+-]*/g, (each) => (isKey(each) ? '0' : each));
    let cleaned = '';
    let at = 0;
    for (let begin = text.indexOf('"'); begin >= 0; begin = text.indexOf('"', at)) {
      cleaned += numbers(text.slice(at, begin));
      at = endOfString(text, begin);
      const [inside, end] = [text.slice(begin + 1, at).replace(/"$/, ''), text[at - 1] === '"' && at > begin + 1 ? '"' : ''];
      cleaned += `"${inside.replace(this.#inJson, (_, escape: string | undefined) => escape ?? instead)}${end}`;
    }
    return cleaned + numbers(text.slice(at));
  }

  /**
   * Hides secrets in a body while it comes, under as many stars as they have letters. What may be the beginning of one waits for the next
   * part.
   */
  masker(): (part: Buffer, isLast: boolean) => Buffer {
    let kept: Buffer = nothing;
    return (part, isLast) => {
      const whole = kept.length === 0 ? part : Buffer.concat([kept, part]);
      const end = whole.subarray(Math.max(0, whole.length - this.#longest)).toString('latin1');
      const isFree = !this.#signs.some((sign) => whole.includes(sign)) && (isLast || !this.#begun.test(end));
      if (isFree) {
        kept = nothing;
        return whole;
      }
      const text = whole.toString('latin1').replace(this.#inBody, (found) => '*'.repeat(found.length));
      const tail = Math.max(0, text.length - this.#longest);
      const begun = isLast ? -1 : text.slice(tail).search(this.#begun);
      const until = begun < 0 ? text.length : tail + begun;
      kept = Buffer.from(text.slice(until), 'latin1');
      return Buffer.from(text.slice(0, until), 'latin1');
    };
  }

  #gather(): void {
    const [inJson, inBody, inText, signs]: [string[], string[], string[], string[]] = [[], [], [], []];
    for (const [secret, param] of [...this.#lasting, ...this.#passing]) {
      const isShort = secret.length < shortestSecret;
      const named = param !== undefined && `(?<=[?&]${patternOf(param)}=)${patternOf(secret)}(?!${letter})`;
      if (isShort) inText.push(`(?<!${letter})${patternOf(secret)}(?!${letter})`);
      if (!isShort || named) inBody.push(named && isShort ? named : patternOf(secret));
      if (!isShort || named) inJson.push(named && isShort ? named : patternOf(secret, 'json'));
      if (!isShort || named) signs.push(signOf(secret));
    }
    this.#signs = signs;
    this.#inJson = anyOf([...inJson, String.raw`(\\(?:u[\da-fA-F]{4}|[^u]))`]);
    this.#inBody = anyOf(inBody);
    this.#inText = anyOf([...inBody, ...inText]);
    const long = [...this.#lasting.keys(), ...this.#passing.keys()].filter((secret) => secret.length >= shortestSecret);
    this.#begun = new RegExp(long.length === 0 ? '(?!)' : long.map(beginningOf).join('|'));
    this.#longest = Math.max(0, ...long.map((secret) => 6 * secret.length));
  }
}

const nothing = Buffer.alloc(0);
const never = /(?!)/g;
const letter = String.raw`[A-Za-z\d%]`;

/** The longest comes first, in case secrets contain each other. */
function anyOf(patterns: readonly string[]): RegExp {
  return patterns.length === 0 ? never : new RegExp(patterns.toSorted((one, other) => other.length - one.length).join('|'), 'g');
}

/** A text in each form that a service repeats it in. `json`: in a string of JSON. */
function patternOf(text: string, json?: 'json'): string {
  return Array.from(text, (char) => (/[A-Za-z\d]/.test(char) ? char : `(?:${formsOf(char, json).join('|')})`)).join('');
}

/** The beginning of a text in any of its forms, at the end. */
function beginningOf(text: string): string {
  const cut = String.raw`(?:%[\da-fA-F]?|\\(?:u[\da-fA-F]{0,3})?|[\u00c0-\u00ff])?$`;
  return Array.from(text).reduceRight((rest, char) => `${patternOf(char)}(?:${cut}|${rest})`, '(?!)');
}

/** What is no letter and no digit: as it is, as the bytes of a body, percent-encoded, as in a form, and escaped as in JSON. */
function formsOf(char: string, json: 'json' | undefined): readonly string[] {
  const bytes = Buffer.from(char);
  const bare = [char, bytes.toString('latin1')].map((each) => each.replaceAll(/[^\w\u0080-\u{10FFFF}]/gu, String.raw`\$&`));
  const anyCase = (hex: string): string => hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const percent = Array.from(bytes, (byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`).join('');
  const units = Array.from({ length: char.length }, (_, at) => char.charCodeAt(at).toString(16).padStart(4, '0'));
  const escaped = [String.raw`\\${bare[0]}`, units.map((unit) => String.raw`\\u${anyCase(unit)}`).join('')];
  const isBare = json === undefined || (char !== '"' && char !== '\\');
  return [...escaped, ...(isBare ? bare : []), percent, ...(char === ' ' ? [String.raw`\+`] : [])];
}

/** What is the same in each form: its longest run of letters and digits. */
function signOf(secret: string): string {
  return (secret.match(/[A-Za-z\d]+/g) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}
