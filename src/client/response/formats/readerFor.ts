import { getOrInsert, memoizePer } from '../../../../operators/kit/once.ts';
import { ownValue } from '../../../../operators/kit/ownValue.ts';
import {
  fieldsOf,
  kindOfShape,
  responseOf,
  rowShape,
  type BodyFormat,
  type Operation,
  type Shape,
  leafOf,
} from '../../../contract/index.ts';
import { numberOf } from '../../../../operators/kit/path.ts';
import { undeclaredError } from '../errorIn.ts';
import { quoteLongIntegers } from '../quoteLongIntegers.ts';

/** How a body in another format than JSON is read. */
export interface BodyReader {
  /** Throws if the text isn't in that format. */
  readonly read: (text: string) => unknown;
  /** The data with the types of its shape. */
  readonly describe: (data: unknown) => unknown;
}

interface FormatReader {
  /** `fields`: those that a row is to have. */
  readonly read: (text: string, fields: readonly string[]) => unknown;
  /** What was read has its types already. */
  readonly isTyped: (data: unknown) => boolean;
}

const readers: { readonly [format in Exclude<BodyFormat, 'json'>]: FormatReader } = {
  ndjson: {
    read: (text, fields) => {
      if (/^\s*\[/.test(text)) return readJson(text); // some services send one list
      const rows = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readJson(line)]));
      return rows.find((row) => isError(row, fields)) ?? rows;
    },
    isTyped: () => true,
  },
  csv: {
    read: (text, fields) => (isJson(text) ? readJson(text) : readCsv(text, fields)),
    isTyped: (data) => !Array.isArray(data),
  },
  xml: { read: (text) => (isJson(text) ? readJson(text) : readXml(text)), isTyped: () => false },
};

const readersOf = memoizePer<Operation, Map<Shape, BodyReader>>(() => new Map());

/** How the responses to a query are read. undefined: they are JSON. */
export function readerFor(operation: Operation, query: object): BodyReader | undefined {
  const { format = 'json' } = operation.spec;
  if (format === 'json') return undefined;
  const { response, rows: list } = responseOf(operation, query);
  return getOrInsert(readersOf(operation), response, () => {
    const fields = namesIn(rowShape(response, list));
    const { read, isTyped } = readers[format];
    const describe = (data: unknown): unknown => (isTyped(data) ? data : asDescribed(data, response));
    return { read: (text) => read(text, fields), describe };
  });
}

function namesIn(shape: Shape | undefined): readonly string[] {
  const at = shape === undefined ? undefined : kindOfShape(shape);
  return at?.kind === 'object' ? fieldsOf(at.object).map(({ name }) => name) : [];
}

/** Whether a line is an error in place of a row, or behind the rows that went well. */
function isError(row: unknown, fields: readonly string[]): boolean {
  return undeclaredError(row) !== undefined && fields.length > 0 && !fields.some((name) => ownValue(row, name) !== undefined);
}

/** Services that send another format send errors as JSON. */
function isJson(text: string): boolean {
  return /^\s*\{/.test(text);
}

function readJson(text: string): unknown {
  return JSON.parse(quoteLongIntegers(text));
}

type Fields = { readonly [field: string]: unknown };

/**
 * A value from a format that has only texts, as its shape describes it: numbers, booleans, null for an empty text, and a list
 * where there is one element or none. What doesn't fit stays as it is, so that it is reported.
 */
function asDescribed(value: unknown, shape: Shape): unknown {
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'leaf':
      return leafValue(value, leafOf(at.leaf));
    case 'list':
      return listOf(value).map((entry) => asDescribed(entry, at.of));
    case 'hint':
      return asDescribed(value, at.of);
    case 'nullable':
      return value === '' || value === undefined || value === null ? null : asDescribed(value, at.of);
    case 'object':
      return objectOf(value, fieldsOf(at.object));
    default:
      return value;
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function objectOf(value: unknown, fields: ReturnType<typeof fieldsOf>): unknown {
  if (value === '') return objectOf({}, fields);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const found = { ...(value as Fields) } as { [field: string]: unknown };
  for (const { name, optional, shape } of fields) {
    const isThere = Object.hasOwn(found, name);
    if (isThere || (!optional && kindOfShape(shape).kind === 'list')) found[name] = asDescribed(isThere ? found[name] : undefined, shape);
  }
  return found;
}

function leafValue(given: unknown, { type, nullable }: ReturnType<typeof leafOf>): unknown {
  const isElement = typeof given === 'object' && given !== null && type !== 'object' && type !== 'unknown';
  const value = isElement ? (textOfElement(given) ?? given) : given;
  if (typeof value !== 'string') return value;
  if (value === '' && nullable) return null;
  if (type === 'boolean') return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value;
  if (type !== 'integer' && type !== 'number') return value;
  const number = numberOf(value);
  return !Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? value : number;
}

/** The rows of a CSV text with a heading. Cells are texts. Throws if it isn't one, or has none of the fields, as the text of an error. */
function readCsv(text: string, fields: readonly string[]): readonly object[] {
  const [heading, ...records] = recordsIn(text);
  if (heading === undefined) throw new SyntaxError('it has no heading');
  if (fields.length > 0 && !fields.some((name) => heading.includes(name))) throw new SyntaxError('its heading has no documented field');
  if (new Set(heading).size < heading.length) throw new SyntaxError('two columns have the same name');
  return records.map((cells) => {
    if (cells.length !== heading.length) throw new SyntaxError('a row and the heading have different numbers of cells');
    return Object.fromEntries(heading.map((name, index) => [name, cells[index]]));
  });
}

/** A cell, with or without quotes, and what ends it. */
const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** The records of a CSV text (RFC 4180). Blank lines are left out. */
function recordsIn(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  cell.lastIndex = 0;
  while (cell.lastIndex < text.length || record.length > 0) {
    const match = cell.exec(text);
    if (match === null) throw new SyntaxError('a quote is not closed, or text follows it');
    const [, quoted, plain, end] = match;
    record.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (record.length > 1 || record[0] !== '' || quoted !== undefined) records.push(record);
    record = [];
  }
  return records;
}

type Library = Pick<typeof import('fast-xml-parser'), 'XMLParser' | 'XMLValidator'>;

let read: ((text: string) => unknown) | undefined;

/** Reads an XML text as fast-xml-parser does: elements are fields, attributes begin with `@`, values are texts. Throws if it isn't XML. */
function readXml(text: string): unknown {
  return (read ??= makeReader(loadXml()))(text);
}

const ownText = '#text';

/** The text of an element that has attributes beside it. undefined: it has elements, too, so it is no text. */
function textOfElement(element: object): string | undefined {
  const isText = Object.keys(element).every((name) => name === ownText || name.startsWith('@'));
  return isText ? ((ownValue(element, ownText) as string | undefined) ?? '') : undefined;
}

/** Loads the library, which is installed only by those who need it. */
export function loadXml(): Library {
  try {
    return process.getBuiltinModule('node:module').createRequire(import.meta.url)('fast-xml-parser') as Library;
  } catch (cause) {
    throw new Error("format: 'xml' needs one more package: npm install fast-xml-parser", { cause });
  }
}

function makeReader({ XMLParser, XMLValidator }: Library): (text: string) => unknown {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    parseAttributeValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    htmlEntities: true, // &#233; too
  });
  return (text) => {
    if (/^\s*<(?:!doctype\s+)?html[\s>]/i.test(text) || XMLValidator.validate(text) !== true) throw new SyntaxError('it is not XML');
    return parser.parse(text);
  };
}
