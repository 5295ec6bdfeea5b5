import type { Hash } from 'node:crypto';

/** A SHA-256 that takes bytes. Loading node:crypto takes 3 ms, so the first one does it, and not each start. */
export function sha256(): Hash {
  return process.getBuiltinModule('node:crypto').createHash('sha256');
}
