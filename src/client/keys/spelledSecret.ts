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
