import { fieldsOf, kindOfShape, responseOf, rowShape, type BodyFormat, type Operation, type Shape } from '../../../contract/index.ts';
import { quoteLongIntegers } from '../quoteLongIntegers.ts';
import { asDescribed } from './asDescribed.ts';
import { readCsv } from './readCsv.ts';
import { readXml } from './readXml.ts';

/** How a body in another format than JSON is read. */
export interface BodyReader {
  /** Throws if the text isn't in that format. */
  readonly read: (text: string) => unknown;
  /** The data with the types of its shape. */
  readonly describe: (data: unknown) => unknown;
}

/** By format: how a text is read. `fields`: those that a row is to have. */
const readers: { readonly [format in Exclude<BodyFormat, 'json'>]: (text: string, fields: readonly string[]) => unknown } = {
  ndjson: (text) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readJson(line)])),
  csv: (text, fields) => (isJson(text) ? readJson(text) : readCsv(text, fields)),
  xml: (text) => (isJson(text) ? readJson(text) : readXml(text)),
};

const known = new WeakMap<Operation, Map<Shape, BodyReader>>();

/** How the responses to a query are read. undefined: they are JSON. */
export function readerFor(operation: Operation, query: object): BodyReader | undefined {
  const { format = 'json' } = operation.spec;
  if (format === 'json') return undefined;
  const { response, list } = responseOf(operation, query);
  let ofOperation = known.get(operation);
  if (ofOperation === undefined) known.set(operation, (ofOperation = new Map()));
  let reader = ofOperation.get(response);
  if (reader === undefined) {
    const fields = namesIn(rowShape(response, list));
    const describe = (data: unknown): unknown =>
      format === 'ndjson' || (format === 'csv' && !Array.isArray(data)) ? data : asDescribed(data, response);
    ofOperation.set(response, (reader = { read: (text) => readers[format](text, fields), describe }));
  }
  return reader;
}

function namesIn(shape: Shape | undefined): readonly string[] {
  const at = shape === undefined ? undefined : kindOfShape(shape);
  return at?.kind === 'object' ? fieldsOf(at.object).map(({ name }) => name) : [];
}

/** Services that send another format send errors as JSON. */
function isJson(text: string): boolean {
  return /^\s*\{/.test(text);
}

function readJson(text: string): unknown {
  return JSON.parse(quoteLongIntegers(text));
}
