const ownWords = ['rules', 'variants', 'paging', 'claims', 'ownPaging', 'form', '$suffix', '$twin'];

/** What the built-in service says of an operation in words that descriptions have, too. */
export function withoutOwnWords<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutOwnWords) as T;
  if (typeof value !== 'object' || value === null) return value;
  // A description can't guess where the next page's token is.
  const { ownPaging } = value as { readonly ownPaging?: { readonly undocumented?: true } };
  const left = ownPaging?.undocumented === true ? [...ownWords, 'next', 'query', 'alone'] : ownWords;
  const fields = Object.entries(value).filter(([field]) => !left.includes(field));
  return Object.fromEntries(fields.map(([field, one]) => [field, withoutOwnWords(one as unknown)])) as T;
}
