/** An address, or undefined if it is none. Not `URL.canParse`: in Node 20 and 22 it refuses any `ü` once it was called some thousand times. */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
