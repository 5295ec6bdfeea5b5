/** The first dozen names, for a message. */
export function firstOf(names: readonly string[]): string {
  const rest = names.length - 12;
  return names.length === 0 ? 'none' : `${names.slice(0, 12).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
