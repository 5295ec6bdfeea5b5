/**
 * Returns the same object, typed so that you can read undocumented fields without a cast. They are always kept.
 *
 * @example
 * undocumented(page.data).spell_check // unknown
 */
export function undocumented<T extends object>(value: T): T & { readonly [field: string]: unknown } {
  return value as T & { readonly [field: string]: unknown };
}
