import { hash } from 'node:crypto';
import { type FieldPath, valuesAt } from '../../contract/valuesAt.ts';

/** 64 bits of a text's SHA-256. The chance of a collision among a million texts is 1 in 30 million. */
export function digestOf(text: string): bigint {
  // As text whose characters are the bytes: a Buffer would take four times as long.
  const bytes = hash('sha256', text, 'binary');
  return (BigInt(wordAt(bytes, 4)) << 32n) | BigInt(wordAt(bytes, 0));
}

/**
 * 53 bits of a text, twenty times as fast: to tell the rows of one query apart. Among ten thousand the chance of a
 * collision is 1 in 100 million.
 */
export function quickDigestOf(text: string): number {
  let low = 0x9e3779b1 ^ text.length;
  let high = 0x85ebca77;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

function wordAt(bytes: string, at: number): number {
  const low = bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8);
  return (low | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24)) >>> 0;
}

/** The identity of a row: a digest of these fields. */
export function keyOf(row: object, fields: readonly FieldPath[]): bigint {
  return digestOf(JSON.stringify(fields.map((field) => valuesAt(row, field))));
}
