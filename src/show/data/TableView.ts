import { filterKinds, isNumeric, type FilterName } from './filterKinds.ts';

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

/** How to write parts of a view in SQL. */
interface SqlWords {
  readonly cell: (column: number) => string;
  readonly text: (value: string) => string;
  /** The condition that some cell contains a text. */
  readonly anyHas: (wanted: string) => string;
}

/** The WHERE clause of a view. '' if every row matches. */
export function whereSql({ search, filters }: TableView, { cell, text, anyHas }: SqlWords): string {
  const tests = filters.map(({ kind, column, value }) => {
    const { needsValue, sql } = filterKinds[kind];
    return sql(cell(column), needsValue ? text(value) : '', isNumeric(value));
  });
  if (search !== '') tests.push(anyHas(text(search.toLowerCase())));
  return tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`;
}

/** The ORDER BY clause of a view. '' for the order of the file. Rows without a value come last. */
export function orderSql({ sort }: TableView, cell: string, isNumber: boolean, more: string = ''): string {
  if (sort === undefined) return '';
  const by = isNumber ? `try_cast(${cell} AS DOUBLE)` : cell;
  return ` ORDER BY ${by} ${sort.down ? 'DESC' : 'ASC'} NULLS LAST${more}`;
}
