/** What the page shows. It is all in the address after `#`, so a copied address shows the same. */
interface PageAddress {
  readonly view: string;
  readonly params: URLSearchParams;
}

export const views = { now: 'Now', data: 'Data', changes: 'Changes', runs: 'Runs' } as const;
export type ViewName = keyof typeof views;

export function address(): PageAddress {
  const [view = '', query = ''] = location.hash.slice(1).split('?', 2);
  return { view: Object.hasOwn(views, view) ? view : 'now', params: new URLSearchParams(query) };
}

/** The address of a view. A parameter that is undefined is left out. The run stays the same. */
export function hrefOf(view: ViewName, params: { readonly [name: string]: string | readonly string[] | undefined } = {}): string {
  const run = address().params.get('run') ?? undefined;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ run, ...params })) {
    if (value === undefined || value === '') continue;
    for (const one of typeof value === 'string' ? [value] : value) query.append(name, one);
  }
  const text = query.toString();
  return `#${view}${text === '' ? '' : `?${text}`}`;
}

/** The current address with some parameters changed. `undefined` removes one. */
export function hrefWith(changes: { readonly [name: string]: string | readonly string[] | undefined }): string {
  const { view, params } = address();
  const all: { [name: string]: string | readonly string[] | undefined } = {};
  for (const name of params.keys()) all[name] = params.getAll(name);
  return hrefOf(view as ViewName, { ...all, ...changes });
}

export function go(href: string): void {
  location.hash = href;
}

/** A filter as a parameter of the address. */
export function filterText(kind: string, column: string, value: string = ''): string {
  return [kind, encodeURIComponent(column), ...(value === '' ? [] : [encodeURIComponent(value)])].join(':');
}

/** The column of a filter in an address. */
export function filterColumn(text: string): string {
  return decodeURIComponent(text.split(':')[1] ?? '');
}

/** Parameters for the server: the run that the address names, and others. */
export function runParams(more: { readonly [name: string]: string } = {}): URLSearchParams {
  return new URLSearchParams({ run: address().params.get('run') ?? '', ...more });
}

/** The columns that the user has hidden. */
export function hiddenColumns(): ReadonlySet<string> {
  return new Set(address().params.getAll('hide'));
}

/** The parameters of an address that say which rows are shown. */
const viewParams = ['run', 'file', 'q', 'f', 'sort'];

/** Parameters for the server: those of the address that say which rows are shown. */
export function viewOf(file: string): URLSearchParams {
  const { params } = address();
  const view = new URLSearchParams();
  for (const name of viewParams) for (const value of params.getAll(name)) view.append(name, value);
  view.set('file', file);
  return view;
}
