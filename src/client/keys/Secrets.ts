const shortestSecret = 8;
const fewestPassing = 16;
const instead = '[key]';

/** A secret as texts and bodies may contain it. */
interface Spelled {
  /** Plain, and as an address or a form has it. */
  readonly spellings: readonly string[];
  /** What is looked for in a body at first. */
  readonly echoes: readonly string[];
  /** The parameter whose value a short secret is, as an address may have it. */
  readonly params: readonly string[];
  /** It may be a word of a row, so it isn't looked for in the middle of texts. */
  readonly short: boolean;
}

/** What must be in nothing that is written, printed or thrown: the key, and what is made of it. */
export class Secrets {
  readonly #lasting = new Map<string, Spelled>();
  /** Tokens: the last few, because a late response may repeat an old one. */
  readonly #passing = new Map<string, Spelled>();
  readonly #maxPassing: number;
  #echoes: readonly Buffer[] = [];
  #patterns: Patterns | undefined;

  /** `passing`: how many secrets that are replaced may be on their way at once. */
  constructor(passing = 0) {
    this.#maxPassing = Math.max(fewestPassing, passing);
  }

  /** `param`: the parameter whose value it is in an address. There it is known however short it is. */
  add(secret: string, param?: string): void {
    if (secret === '') return;
    this.#lasting.set(secret, spelled(secret, { param, base64: true }));
    this.#gather();
  }

  /** Adds a secret that another one replaces later. */
  addPassing(secret: string): void {
    if (secret === '' || this.#lasting.has(secret) || this.#passing.has(secret)) return;
    this.#passing.set(secret, spelled(secret));
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
    const cleaned = /^(?:\u00EF\u00BB\u00BF)?\s*[[{]/.test(text) ? this.#inJson(text, short) : this.cleanedText(text);
    return cleaned === text ? body : Buffer.from(cleaned, 'latin1');
  }

  /** The same for JSON as text. */
  cleanedJson(text: string, short?: 'short'): string {
    return this.#inJson(text, short);
  }

  /** The same for a text that is read further, such as a `Link` header. */
  cleanedText(text: string, short?: 'short'): string {
    const { inText, wholes } = this.#all();
    if (short !== undefined && wholes.has(text)) return instead;
    return inText === undefined ? text : text.replace(inText, found);
  }

  /** Looks into strings only, so that what is left is JSON. A number that is a secret becomes 0. */
  #inJson(text: string, short?: 'short'): string {
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

  #all(): Patterns {
    return (this.#patterns ??= patternsOf(this.#values()));
  }
}

interface Patterns {
  /** Secrets in a text. */
  readonly inText: RegExp | undefined;
  /** Secrets in a string of JSON. An escape is read as a whole, so a secret never begins within one. */
  readonly inString: RegExp | undefined;
  /** Short secrets that stand alone. */
  readonly alone: RegExp | undefined;
  /** Every secret, as a string or a number of JSON may be. */
  readonly wholes: ReadonlySet<string>;
  /** Short secrets as strings of JSON. */
  readonly shorts: readonly string[];
}

const number = /-?\d[\d.eE+-]*/g;
const anyEscape = String.raw`\\(?:u[\da-fA-F]{4}|.)`;

const nothing = '(?!)';
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

/** The place after a string that begins at `begin`, or the end of a text that breaks off in it. */
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

function patternsOf(all: readonly Spelled[]): Patterns {
  const spellingsOf = (some: readonly Spelled[]): string[] => [...new Set(some.flatMap(({ spellings }) => spellings))];
  const [long, short] = [false, true].map((is) => spellingsOf(all.filter((each) => each.short === is))) as [string[], string[]];
  const named = all.filter(({ params }) => params.length > 0);
  const [names, values] = [named.flatMap(({ params }) => params), spellingsOf(named)];
  const known = (json: boolean): string => `(${oneOf(long, json)})|((?:${oneOf(names, json)})=)(?:${oneOf(values, json)})(?![A-Za-z0-9%])`;
  const some = long.length + names.length > 0;
  return {
    inText: some ? new RegExp(known(false), 'g') : undefined,
    inString: some ? new RegExp(`${known(true)}|${anyEscape}`, 'gs') : undefined,
    alone: short.length === 0 ? undefined : new RegExp(`(?<![A-Za-z0-9])(?:${oneOf(short, false)})(?![A-Za-z0-9])`, 'g'),
    wholes: new Set([...long, ...short].map((text) => Buffer.from(JSON.stringify(text).slice(1, -1)).toString('latin1'))),
    shorts: short.map((text) => JSON.stringify(text)),
  };
}

function spelled(
  secret: string,
  { param, base64 = false }: { readonly param?: string | undefined; readonly base64?: boolean } = {},
): Spelled {
  const short = secret.length < shortestSecret;
  const spellings = [...new Set([secret, ...(base64 && !short ? inBase64(secret) : [])].flatMap(inAddress))];
  const params = param === undefined || !short ? [] : inAddress(param);
  const json = JSON.stringify(secret).slice(1, -1);
  const echoes = short
    ? params.flatMap((name) => spellings.map((each) => `${name}=${each}`))
    : [...new Set([json, ...spellings].flatMap((each) => [each, each.replaceAll('/', String.raw`\/`)]))];
  return { spellings, echoes, params, short };
}

/** What base64 makes of a text at each of the three places where it may stand, without the letters that its neighbours change. */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)];
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]);
    return (['base64', 'base64url'] as const).map((form) => encoded.toString(form).slice(from, to));
  });
}

/** A text plain and percent-encoded, in capitals or small letters. */
function inAddress(text: string): readonly string[] {
  const encoded = [encodeURIComponent(text), new URLSearchParams([['', text]]).toString().slice(1)];
  return [...new Set([text, ...encoded, ...encoded.map((each) => each.replace(/%../g, (hex) => hex.toLowerCase()))])];
}

/** A pattern for texts. One may be a part of another, so the longest goes first. */
function oneOf(texts: readonly string[], json: boolean): string {
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  return texts.length === 0 ? nothing : longestFirst.map((text) => Array.from(text, (char) => patternOf(char, json)).join('')).join('|');
}

/** A pattern for the ways to write a character: plain, byte by byte as bodies are read, and escaped as in JSON. */
function patternOf(char: string, json: boolean): string {
  const escapes = Array.from({ length: char.length }, (_, at) => escapeOf(char.charCodeAt(at))).join('');
  const plain = [char, Buffer.from(char).toString('latin1')].map((each) => each.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  const short = /["\\/]/.test(char) ? ['\\\\' + plain[0]!] : [];
  const isAlwaysEscaped = json && /["\\]/.test(char);
  return `(?:${[...new Set([escapes, ...short, ...(isAlwaysEscaped ? [] : plain)])].join('|')})`;
}

function escapeOf(code: number): string {
  const hex = code.toString(16).padStart(4, '0');
  return String.raw`\\u` + hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
