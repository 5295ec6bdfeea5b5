const ofMachines = /(^|[_.])(c?id|token|url|link|thumbnail|image|latitude|longitude)$/;
const lookedFor = ['title', 'name', 'rating', 'reviews', 'price', 'phone', 'website', 'address', 'date', 'snippet'];

/** Whether people read a field of this name. Ids, addresses of pages and coordinates are for programs. */
export function isForPeople(name: string): boolean {
  return !ofMachines.test(name);
}

/**
 * Columns in the order in which the terminal, the report and the page show them: first what people look for, after the columns that a
 * stage keeps, and last what is for programs.
 */
export function readingOrder<Column extends { readonly name: string }>(columns: readonly Column[]): readonly Column[] {
  const first = columns.findIndex(({ name }) => lookedFor.includes(name));
  const rank = ({ name }: Column, at: number): number =>
    !isForPeople(name) ? Infinity : at < first ? -1 : lookedFor.includes(name) ? lookedFor.indexOf(name) : lookedFor.length;
  return columns
    .map((column, at) => ({ column, rank: rank(column, at) }))
    .toSorted((one, other) => (one.rank === other.rank ? 0 : one.rank - other.rank))
    .map(({ column }) => column);
}

/** Whether less is better in a column. */
export function isRank(column: string): boolean {
  return /(^|[._])(rank|position)$/.test(column);
}

const longitudes = ['lon', 'lng', 'long', 'longitude'];

/** The columns that say where a row is, such as `gps_coordinates.latitude` and `gps_coordinates.longitude`. */
export function coordinatesIn(columns: readonly string[]): readonly [latitude: string, longitude: string] | undefined {
  for (const latitude of columns) {
    const [, holder] = /^((?:.*\.)?)lat(?:itude)?$/i.exec(latitude) ?? [];
    if (holder === undefined) continue;
    const wanted = longitudes.map((name) => `${holder}${name}`.toLowerCase());
    const longitude = columns.find((name) => wanted.includes(name.toLowerCase()));
    if (longitude !== undefined) return [latitude, longitude];
  }
  return undefined;
}
