/** JSON with the keys of each object in alphabetical order: equal values have the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value) && !value.some((one) => typeof one === 'object' && one !== null)) return JSON.stringify(value);
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** A value of a query as text: lists and objects as JSON in its one form, everything else as it is written. */
export function textOfValue(value: unknown): string {
  return typeof value === 'object' ? canonicalJson(value) : String(value as string | number | boolean | undefined);
}
