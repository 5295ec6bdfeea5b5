/** The name that `name` was probably meant to be: differently written (`dataId` for `data_id`), or a few typing errors away. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  return names.find((other) => plain(other) === plain(name));
}
function plain(name: string): string {
  return name.replace(/[^a-z0-9]/gi, '').toLowerCase();
}
