import { filterKinds, type FilterName } from './filterKinds.ts';

/** Which rows of a table are shown, and in which order. Columns are given by their index. */
export interface TableView {
  /** A text that some cell of a row must contain. '': no condition. */
  readonly search: string;
  readonly filters: readonly Filter[];
  readonly sort: { readonly column: number; readonly down: boolean } | undefined;
}

export interface Filter {
  readonly column: number;
  readonly kind: FilterName;
  readonly value: string;
}

/**
 * Reads a view from an address: `q=coffee`, `sort=-rating`, `f=empty:phone`, `f=from:rating:4`. Throws a RangeError for a column or a
 * filter that isn't there, so nothing else of an address gets into SQL.
 */
export function readTableView(params: URLSearchParams, columns: readonly string[]): TableView {
  const placeOf = (name: string): number => {
    const place = columns.indexOf(name);
    if (place < 0) throw new RangeError(`There is no column ${name}.`);
    return place;
  };
  const sort = params.get('sort') ?? '';
  const filters = params.getAll('f').map((text) => {
    const [kind = '', column = '', ...value] = text.split(':');
    if (!Object.hasOwn(filterKinds, kind)) throw new RangeError(`There is no filter ${kind}.`);
    return { kind: kind as FilterName, column: placeOf(decodeURIComponent(column)), value: decodeURIComponent(value.join(':')) };
  });
  const down = sort.startsWith('-');
  return {
    search: params.get('q') ?? '',
    filters,
    sort: sort === '' ? undefined : { column: placeOf(down ? sort.slice(1) : sort), down },
  };
}

export function isWhole({ search, filters, sort }: TableView): boolean {
  return search === '' && filters.length === 0 && sort === undefined;
}
