/** Columns that the run adds to each row. */
const ownColumns = new Set(['first_seen', 'last_seen', '_source']);

interface Fields {
  readonly [field: string]: unknown;
}

/** The names of the fields in which two rows differ. The times they were seen don't count. */
export function differences(old: object, row: object, volatile: ReadonlySet<string>): readonly string[] {
  const textOf = (value: unknown, path: string): string | undefined =>
    JSON.stringify(value, function (this: unknown, key, inner: unknown) {
      return this === value && volatile.has(`${path}.${key}`) ? undefined : inner;
    });
  const isOther = (field: string): boolean => textOf((old as Fields)[field], field) !== textOf((row as Fields)[field], field);
  const fields = [...new Set([...Object.keys(old), ...Object.keys(row)])];
  return fields.filter((field) => !ownColumns.has(field) && !volatile.has(field) && isOther(field));
}

export function pick(row: object, fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, (row as Fields)[field] ?? null]));
}
