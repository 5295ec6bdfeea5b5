/** A shorter one may be a word of a row. */
export const shortestSecret = 8;

/** A secret as texts and bodies may contain it. */
export interface Spelled {
  /** Plain, and as an address or a form has it. */
  readonly spellings: readonly string[];
  /** What is looked for in a body at first. */
  readonly echoes: readonly string[];
  /** The parameter whose value a short secret is, as an address may have it. */
  readonly params: readonly string[];
  /** It may be a word of a row, so it isn't looked for in the middle of texts. */
  readonly short: boolean;
}

/** `param`: the parameter whose value it is. `base64`: it may also be part of something encoded. */
export function spelledSecret(
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

/** What base64 makes of a text at each of the three positions where it may stand, without the letters that its neighbours change. */
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

/** How to find secrets in texts. */
export interface SecretPatterns {
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

const anyEscape = String.raw`\\(?:u[\da-fA-F]{4}|.)`;
/** Matches nothing. */
const nothing = '(?!)';

export function secretPatterns(all: readonly Spelled[]): SecretPatterns {
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
