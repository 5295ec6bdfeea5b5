/**
 * The same object, typed so that fields beyond the documented ones can be read without a cast; they are always kept.
 *
 * @example
 * undocumented(page.data).spell_check // unknown
 */
export function undocumented<T extends object>(value: T): T & { readonly [field: string]: unknown } {
  return value as T & { readonly [field: string]: unknown };
}
