import { changed, type ListOptions, type PlayFault } from './ChangedResponse.ts';

/** A copy of a JSON value in which each text is another. */
function changeTexts(value: unknown, change: (text: string, key: string) => unknown, key = ''): unknown {
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((each) => changeTexts(each, change, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changeTexts(each, change, name)]));
}

export interface BadListOptions extends ListOptions {
  /** What replaces the list. @default 'missing' */
  readonly as?: 'missing' | 'null' | 'empty' | 'object' | 'text' | undefined;
}

/** The list of rows is missing, or isn't a list. */
export function list({ as = 'missing', list: path }: BadListOptions): PlayFault {
  return changed((response) => {
    const { holder, key } = response.list(path);
    if (as === 'missing') delete holder[key];
    else holder[key] = { null: null, empty: [], object: { 0: 'row' }, text: 'rows' }[as];
  });
}

export interface BadRowsOptions extends ListOptions {
  /** The bad row: not an object, or an object whose fields have other types. @default 'null' */
  readonly as?: 'null' | 'text' | 'number' | 'list' | 'types' | undefined;
  /** Which rows of a page, counted from 1. @default the first */
  readonly rows?: readonly number[] | 'all' | undefined;
}

/** Rows that aren't shaped like rows. */
export function badRows({ as = 'null', rows = [1], list }: BadRowsOptions): PlayFault {
  return changed((response) => {
    const { holder, key } = response.list(list);
    holder[key] = response.rows(list).map((row, index) => (rows === 'all' || rows.includes(index + 1) ? bad(row, as) : row));
  });
}

function bad(row: unknown, as: NonNullable<BadRowsOptions['as']>): unknown {
  if (as !== 'types') return { null: null, text: '\u001b[2Jrow', number: 42, list: [row] }[as];
  return Object.fromEntries(
    Object.entries(row as object).map(([field, value]) => [field, typeof value === 'string' ? { text: value } : String(value)]),
  );
}

export interface DeepOptions {
  /** @default 100000 */
  readonly levels?: number | undefined;
  /** In an undocumented field of a correct response, or instead of the whole document. @default 'field' */
  readonly in?: 'field' | 'document' | undefined;
}

/** Deeply nested lists. */
export function deep({ levels = 100_000, in: where = 'field' }: DeepOptions): PlayFault {
  const nested = '['.repeat(levels) + ']'.repeat(levels);
  return (exchange) => {
    const headers = { 'content-type': 'application/json' };
    if (where === 'document') return exchange.send(200, nested, headers);
    const marked = JSON.stringify(exchange.wrap({ ...exchange.data(), deep: 'DEEP' }));
    exchange.send(
      200,
      marked.replace('"deep":"DEEP"', () => `"deep":${nested}`),
      headers,
    );
  };
}

/** `__proto__` and `constructor` as names of fields, in the data and in each row. */
export function protoKeys(): PlayFault {
  return (exchange) => {
    const evil = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    const text = JSON.stringify(exchange.correct());
    // at the start of every object: JSON.stringify itself would leave `__proto__` out
    const spiked = text.replaceAll(/([:[,])\{(?=")/g, (_, before: string) => `${before}{${evil},`);
    exchange.send(200, spiked, { 'content-type': 'application/json' });
  };
}

/** Identifiers made of digits come as JSON numbers of 64 bits, which `JSON.parse` rounds. */
export function bigNumbers(): PlayFault {
  return (exchange) => {
    const marked = changeTexts(exchange.correct(), (text, key) => (key.endsWith('id') && /^\d{16,}$/.test(text) ? `#${text}#` : text));
    const text = JSON.stringify(marked).replaceAll(/"#(\d+)#"/g, '$1');
    exchange.send(200, text, { 'content-type': 'application/json' });
  };
}

export interface EscapesOptions {
  /** In the rows of a correct response, or in an error message. @default 'data' */
  readonly in?: 'data' | 'message' | undefined;
}

const nasty = '\u001b]0;owned\u0007\u001b[2J\u001b[31m\u202e\u009b1m\r';

/** Texts that would take over a terminal: escape sequences, control and bidi characters. */
export function escapes({ in: where = 'data' }: EscapesOptions): PlayFault {
  return (exchange) => {
    if (where === 'message') return exchange.json(exchange.wrap(null, 400, `bad request ${nasty}`), 400);
    const data = changeTexts(exchange.data(), (text, key) => (/token|id$|url|link/.test(key) ? text : nasty + text));
    exchange.json(exchange.wrap(data));
  };
}

const odd = 'NUL \0, lone \ud800 and \udc00, BOM \ufeff, 👩‍👩‍👧, \u2028\u2029, "quoted", \r\n=1+1';

/** Texts with all that a file format may stumble over: NUL, lone surrogates, BOM, emoji, odd line breaks. */
export function oddTexts(): PlayFault {
  return (exchange) => {
    const data = changeTexts(exchange.data(), (text, key) => (/token|id$|url|link/.test(key) ? text : `${text} ${odd}`));
    exchange.json(exchange.wrap(data));
  };
}
