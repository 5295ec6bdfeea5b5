import { secretPatterns, type SecretPatterns, shortestSecret, spelledSecret, type Spelled } from './spelledSecret.ts';

const fewestPassing = 16;
const instead = '[key]';

/** What must be in nothing that is written, printed or thrown: the key, and what is made of it. */
export class Secrets {
  readonly #lasting = new Map<string, Spelled>();
  /** Tokens: the last few, because a late response may repeat an old one. */
  readonly #passing = new Map<string, Spelled>();
  readonly #maxPassing: number;
  #echoes: readonly Buffer[] = [];
  #patterns: SecretPatterns | undefined;

  /** `passing`: how many secrets that are replaced may be on their way at once. */
  constructor(passing = 0) {
    this.#maxPassing = Math.max(fewestPassing, passing);
  }

  /** `param`: the parameter whose value it is in an address. There it is known however short it is. */
  add(secret: string, param?: string): void {
    if (secret === '') return;
    this.#lasting.set(secret, spelledSecret(secret, { param, base64: true }));
    this.#gather();
  }

  /** Adds a secret that another one replaces later. */
  addPassing(secret: string): void {
    if (secret === '' || this.#lasting.has(secret) || this.#passing.has(secret)) return;
    this.#passing.set(secret, spelledSecret(secret));
    if (this.#passing.size > this.#maxPassing) this.#passing.delete(this.#passing.keys().next().value!);
    this.#gather();
  }

  /** Whether bodies are rid of secrets. */
  get clean(): boolean {
    return this.#echoes.length > 0;
  }

  /** A text for people without secrets, in case the service or a dispatcher repeated one. A short one is known where it stands alone. */
  redact(text: string): string {
    const { inText, alone } = this.#all();
    const redacted = inText === undefined ? text : text.replace(inText, found);
    return alone === undefined ? redacted : redacted.replace(alone, instead);
  }

  /**
   * A body without secrets, before it is parsed or cut. JSON stays JSON. A short secret is left in, because it may be a word of a
   * row. `short`: a text that is nothing but a short secret is replaced, too.
   */
  cleaned(body: Buffer, short?: 'short'): Buffer {
    const echoed = this.#echoes.some((echo) => body.includes(echo));
    if (!echoed && short === undefined) return body;
    const { inText, shorts } = this.#all();
    const hasShort = short !== undefined && shorts.some((text) => body.includes(text));
    if (!echoed && !hasShort) return body;
    const text = body.toString('latin1');
    if (!hasShort && inText !== undefined && text.search(inText) < 0) return body;
    const cleaned = /^(?:\u00EF\u00BB\u00BF)?\s*[[{]/.test(text) ? this.cleanedJson(text, short) : this.cleanedText(text);
    return cleaned === text ? body : Buffer.from(cleaned, 'latin1');
  }

  /** The same for a text that is read further, such as a `Link` header. */
  cleanedText(text: string, short?: 'short'): string {
    const { inText, wholes } = this.#all();
    if (short !== undefined && wholes.has(text)) return instead;
    return inText === undefined ? text : text.replace(inText, found);
  }

  /** The same for JSON as text. It looks into strings only, so that what is left is JSON. A number that is a secret becomes 0. */
  cleanedJson(text: string, short?: 'short'): string {
    const { inString, wholes } = this.#all();
    const numbers = (part: string): string =>
      part.replace(number, (each) => (each.length >= shortestSecret && wholes.has(each) ? '0' : each));
    let cleaned = '';
    let at = 0;
    for (let begin = text.indexOf('"'); begin >= 0; begin = text.indexOf('"', at)) {
      cleaned += numbers(text.slice(at, begin));
      at = endOfString(text, begin);
      const string = text.slice(begin, at);
      const isShort = short !== undefined && wholes.has(string.slice(1, -1)) && !isName(text, at);
      cleaned += isShort ? `"${instead}"` : inString === undefined ? string : string.replace(inString, found);
    }
    return cleaned + numbers(text.slice(at));
  }

  #gather(): void {
    const echoes = this.#values().flatMap((each) => each.echoes);
    this.#echoes = echoes.length === 0 ? [] : [...new Set(echoes.map(quicklyFound)), escaped].map((text) => Buffer.from(text));
    this.#patterns = undefined;
  }

  #values(): readonly Spelled[] {
    return [...this.#lasting.values(), ...this.#passing.values()];
  }

  #all(): SecretPatterns {
    return (this.#patterns ??= secretPatterns(this.#values()));
  }
}

const number = /-?\d[\d.eE+-]*/g;
/** How every letter of a secret begins that JSON has escaped. */
const escaped = String.raw`\u00`;

/**
 * The end of a text, from a rare letter on: a search stops wherever the first letter fits, and bodies are full of small letters.
 * What it finds beside the text is looked at again.
 */
function quicklyFound(text: string): string {
  const at = text.slice(0, -shortestSecret).search(/[A-Zqxz3-9]/);
  return at < 0 ? text : text.slice(at);
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

/** What takes the place of a match: of a secret, of one behind the name of its parameter, or of anything else. */
function found(match: string, secret: string | undefined, param: string | undefined): string {
  if (secret !== undefined) return instead;
  return param === undefined ? match : `${param}${instead}`;
}
