const deepest = 256;

/**
 * Whether a JSON value nests too deeply to walk safely. Most responses don't have that many brackets. Only the others
 * are walked, level by level.
 */
export function isTooDeep(text: string, value: unknown): boolean {
  if (count(text, '{') + count(text, '[') <= deepest) return false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    const next: unknown[] = [];
    for (const parent of level) {
      for (const child of Object.values(parent as object)) if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}

/** How often a character occurs, counted only as far as needed. */
function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found <= deepest; at = text.indexOf(character, at + 1)) found++;
  return found;
}
