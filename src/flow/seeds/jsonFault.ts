/** Why a text isn't JSON, without the part of it that Node quotes: it may hold a key. */
export function jsonFault(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, (?:"|\.\.\.).*$/s, '');
}
