import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A CSV file of so many queries; gives its path. */
export function writeSeeds(folder, count) {
  const path = join(folder, 'seeds.csv');
  writeFileSync(path, `query\n${Array.from({ length: count }, (_, i) => `coffee ${i}\n`).join('')}`);
  return path;
}
