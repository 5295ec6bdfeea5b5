import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The same files in another folder: they stay as they are when the first one is built anew. To change one, remove it first. */
export function linkFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const make = entry.isDirectory() ? linkFiles : linkSync;
    make(join(from, entry.name), join(to, entry.name));
  }
}
