import { isUtf8 } from 'node:buffer';

/**
 * A body in UTF-8. If it isn't, it is converted from the charset that its content type names, or its XML declaration. What is sent
 * as JSON has none, but XML also comes as plain text. One in UTF-8 stays as it is, whatever they say: many services name the wrong one.
 */
export function inUtf8(body: Buffer, contentType: string): Buffer {
  const named = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType);
  const charset = named ?? (isJson.test(contentType) ? null : declared.exec(body.toString('latin1', 0, 100)));
  if (charset === null || isUtf8(body)) return body;
  try {
    const decoder = new TextDecoder(charset[1]);
    // All at once, Node 20 takes Windows-1252 for Latin-1.
    return Buffer.from(decoder.decode(body, { stream: true }) + decoder.decode());
  } catch {
    return body; // nobody knows this charset
  }
}

const isJson = /^[^;]*json/i;

/** The charset in the first line of an XML document. */
const declared = /^<\?xml [^>]*encoding\s*=\s*["']([^"']+)/;
