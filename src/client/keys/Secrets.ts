const shortestSecret = 8;
const fewestPassing = 16;
const instead = '[key]';

/** A secret as texts and bodies may contain it. */
interface Spelled {
  /** Plain, and escaped for JSON or a URL. */
  readonly spellings: readonly string[];
  /** What is looked for in bodies, and what stands there afterwards. */
  readonly echoes: readonly (readonly [echo: string, instead: string])[];
  /** The secret with any of its characters written as `\u0041`. Undefined if it is too short to be known in a body. */
  readonly escaped: RegExp | undefined;
}

/** What must be in nothing that is written, printed or thrown: the key, and what is made of it. */
export class Secrets {
  readonly #lasting = new Map<string, Spelled>();
  /** Tokens: the last few, because a late response may repeat an old one. */
  readonly #passing = new Map<string, Spelled>();
  readonly #maxPassing: number;
  #spellings: readonly string[] = [];
  #echoes: Spelled['echoes'] = [];
  #escaped: readonly RegExp[] = [];

  /** `passing`: how many secrets that are replaced may be on their way at once. */
  constructor(passing = 0) {
    this.#maxPassing = Math.max(fewestPassing, passing);
  }

  /** `param`: the parameter whose value it is in an address. There it is known however short it is. */
  add(secret: string, param?: string): void {
    if (secret === '') return;
    this.#lasting.set(secret, spelled(secret, param));
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

  /** The text without secrets, in case the service or a dispatcher repeated one. */
  redact(text: string): string {
    return this.#spellings.reduce((all, spelling) => all.replaceAll(spelling, instead), text);
  }

  /** Whether a text or a body has a secret, however short. */
  isIn(text: string | Buffer): boolean {
    return this.#spellings.some((spelling) => text.includes(spelling));
  }

  /** A body without secrets, before it is parsed or cut. A secret of a few letters is left in: it may be a word of a row. */
  cleaned(body: Buffer): Buffer {
    const echoed = this.#echoes.some(([echo]) => body.includes(echo));
    if (!echoed && !(this.#escaped.length > 0 && body.includes(String.raw`\u00`))) return body;
    const text = body.toString('latin1');
    const cleaned = this.cleanedText(text);
    return cleaned === text ? body : Buffer.from(cleaned, 'latin1');
  }

  /** The same for a text that is read further, such as a `Link` header. */
  cleanedText(text: string): string {
    const plain = this.#echoes.reduce((all, [echo, after]) => all.replaceAll(echo, after), text);
    return this.#escaped.reduce((all, escaped) => all.replace(escaped, instead), plain);
  }

  #gather(): void {
    const all = [...this.#lasting.values(), ...this.#passing.values()];
    // A secret may be a part of another one, so the longest goes first.
    this.#spellings = [...new Set(all.flatMap(({ spellings }) => spellings))].toSorted((a, b) => b.length - a.length);
    this.#echoes = all.flatMap(({ echoes }) => echoes).toSorted(([a], [b]) => b.length - a.length);
    this.#escaped = all.flatMap(({ escaped }) => (escaped === undefined ? [] : [escaped]));
  }
}

function spelled(secret: string, param?: string): Spelled {
  const json = JSON.stringify(secret).slice(1, -1);
  const spellings = [...new Set([json, json.replaceAll('/', String.raw`\/`), ...inAddress(secret)])];
  const known = secret.length >= shortestSecret;
  const names = param === undefined || known ? [] : inAddress(param);
  const named = names.flatMap((name) => spellings.map((each) => [`${name}=${each}`, `${name}=${instead}`] as const));
  return {
    spellings,
    echoes: known ? spellings.map((each) => [each, instead] as const) : named,
    escaped: known ? new RegExp(Array.from(secret, spellingsOf).join(''), 'g') : undefined,
  };
}

function inAddress(text: string): readonly string[] {
  return [...new Set([text, encodeURIComponent(text), new URLSearchParams([['', text]]).toString().slice(1)])];
}

/** A pattern for the ways in which JSON may spell a character. */
function spellingsOf(char: string): string {
  const [, high, low] = /(.)(.)$/.exec(char.charCodeAt(0).toString(16).padStart(2, '0'))!;
  const digit = (hex: string): string => `[${hex}${hex.toUpperCase()}]`;
  const escape = String.raw`\\u00${digit(high!)}${digit(low!)}`;
  const plain = char.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
  return `(?:${plain}|${escape}${/["\\/]/.test(char) ? String.raw`|\\` + plain : ''})`;
}
