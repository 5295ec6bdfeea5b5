/** How many bytes each door of the compiled package loads when it is imported, compressed. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { gzipSync } from 'node:zlib';

/** By the file of the door, without its ending. What is imported later, when it is needed, isn't counted. */
export function bundleSizes(dist, doors) {
  return Object.fromEntries(
    doors.map((door) => {
      const files = closureOf(join(dist, 'bundle', `${door}.js`));
      return [door, [...files].reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)];
    }),
  );
}

/** A compiled file and all that it imports at once, directly or not. */
export function closureOf(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, from] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+\.js)["'];/gm))
    closureOf(join(dirname(file), from), found);
  return found;
}
