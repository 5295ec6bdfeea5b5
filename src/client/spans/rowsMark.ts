import { crc32 } from 'node:zlib';

/**
 * Identifies the rows of a page by all of them: by their compact JSON text, which is the same whether they stay bytes or
 * are parsed. In a body that isn't compact it differs from the bytes.
 */
export function rowsMark(text: string | Uint8Array, rows: number): number {
  return crc32(text) + (rows % 2 ** 20) * 2 ** 32;
}
