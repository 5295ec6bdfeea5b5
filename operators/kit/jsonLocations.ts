interface JsonLocation {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds locations in valid JSON text. Returns a function from keys to a line and column: those of the innermost part that
 * exists, at its key if it has one.
 */
export function jsonLocations(source: string): (at: readonly (string | number)[]) => JsonLocation | undefined {
  const offsets = new Map<string, number>();
  const tokens = source.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
  const next = (): { readonly text: string; readonly offset: number } => {
    const { value } = tokens.next() as { value: RegExpExecArray | undefined };
    return value === undefined ? { text: '', offset: source.length } : { text: value[0], offset: value.index };
  };
  const walk = (token: ReturnType<typeof next>, at: readonly (string | number)[]): void => {
    if (token.text !== '{' && token.text !== '[') return;
    for (let index = 0; ; index++) {
      let inner = next();
      if (inner.text === '}' || inner.text === ']' || inner.text === '') return;
      let key: string | number = index;
      const { offset } = inner;
      if (token.text === '{') {
        key = JSON.parse(inner.text) as string;
        next(); // the colon
        inner = next();
      }
      offsets.set(JSON.stringify([...at, key]), offset);
      walk(inner, [...at, key]);
      const after = next();
      if (after.text !== ',') return;
    }
  };
  try {
    walk(next(), []);
  } catch {
    // invalid JSON has no locations
  }
  return (at) => {
    for (let length = at.length; length > 0; length--) {
      const offset = offsets.get(JSON.stringify(at.slice(0, length)));
      if (offset !== undefined) return locationOf(source, offset);
    }
    return undefined;
  };
}

/** Counted from 1. */
export function locationOf(source: string, offset: number): JsonLocation {
  const before = source.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Why a text isn't JSON, without the part of it that Node quotes: it may hold a key. */
export function jsonFault(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, (?:"|\.\.\.).*$/s, '');
}
