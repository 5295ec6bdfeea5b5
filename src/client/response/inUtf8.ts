import { isUtf8 } from 'node:buffer';

/** What Windows-1252 has in place of the control characters of Latin-1, which Node 20 leaves there. */
const windows = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * A body in UTF-8. If it isn't, it is converted from the charset that its content type names, or its XML declaration. One in UTF-8
 * stays as it is, whatever they say: many services name the wrong one.
 */
export function inUtf8(body: Buffer, contentType: string): Buffer {
  const charset = named(contentType) ?? declared(body);
  if (charset === undefined || isUtf8(body)) return body;
  try {
    const decoder = new TextDecoder(charset);
    const text = decoder.decode(body);
    return Buffer.from(
      decoder.encoding === 'windows-1252' ? text.replace(/[\x80-\x9f]/g, (control) => windows[control.charCodeAt(0) - 128]!) : text,
    );
  } catch {
    return body; // nobody knows this charset
  }
}

function named(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
}

function declared(body: Buffer): string | undefined {
  return /^<\?xml [^>]*encoding\s*=\s*["']([^"']+)/.exec(body.toString('latin1', 0, 100))?.[1];
}
