const ownWords = ['rules', 'variants', 'numbers', 'form', '$suffix', '$twin'];

/** What the built-in service says of an operation in words that descriptions have, too. */
export function withoutOwnWords<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutOwnWords) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([field]) => !ownWords.includes(field));
  return Object.fromEntries(fields.map(([field, one]) => [field, withoutOwnWords(one as unknown)])) as T;
}
