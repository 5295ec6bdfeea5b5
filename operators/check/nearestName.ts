/**
 * The name in `names` that `name` was probably meant to be: written differently (`dataId` for `data_id`), a few typing
 * errors away, or the only one with that beginning. Undefined if none is close.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name;
  if (name.length > 64) return undefined; // the work grows with the square
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = 1 / 3; // the most errors for each letter
  for (const other of names) {
    const candidate = plain(other);
    const errors = distance(wanted, candidate) / Math.max(wanted.length, candidate.length);
    if (nearest === undefined ? errors <= least : errors < least) [nearest, least] = [other, errors];
  }
  if (nearest !== undefined || wanted === '') return nearest;
  const alike = names.filter((other) => plain(other).startsWith(wanted) || (plain(other) !== '' && wanted.startsWith(plain(other))));
  return alike.length === 1 ? alike[0] : undefined;
}

/** The end of a message about an unknown name: the one that was probably meant, else `otherwise`, which may be ''. */
export function instead(name: string, names: readonly string[], otherwise: string = `there are ${names.join(', ')}`): string {
  const nearest = nearestName(name, names);
  if (nearest !== undefined) return `; did you mean '${nearest}'?`;
  return otherwise === '' ? '' : `; ${otherwise}`;
}

function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** Damerau-Levenshtein, without edits between swapped letters. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length]!;
}

/** A value as an error message shows it. Strings are quoted, to distinguish '1' from 1, and line breaks in them are escaped. */
export function inWords(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(String.raw`\"`, '"')}'`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const json = jsonOf(value);
  return json !== undefined && json.length <= 60 ? json : Array.isArray(value) ? 'a list' : 'an object';
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // it contains itself
  }
}

/** The first dozen names, for a message. */
export function firstOf(names: readonly string[]): string {
  const rest = names.length - 12;
  return names.length === 0 ? 'none' : `${names.slice(0, 12).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
