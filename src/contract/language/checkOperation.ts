import { inWords } from '../../../operators/check/nearestName.ts';
import type { OnName } from '../../../operators/options/OptionSet.ts';
import { batchFault } from '../queriesOf.ts';
import { fieldAt, hasOwnKey, holderShape, rowShape } from '../fieldAt.ts';
import { failureFault } from '../FailureSpec.ts';
import type { OperationInput, OperationSpec } from '../Operation.ts';
import { describedSpec } from '../madeOperation.ts';
import { lastRow, pageSlots, inHeader, isPageSlot, pageSlotNames } from '../pagingOf.ts';
import { requestFaults, insteadOf, nameFault } from './checkRequest.ts';
import { type Shape, kindOfShape, leafOf } from '../Shape.ts';
import { parsePath, pickIn, type Pick } from '../../../operators/kit/path.ts';
import { listPath, outerColumns } from '../../../operators/walk/rowsAt.ts';
import { operationFields } from './operationFields.ts';
import { methods } from '../Param.ts';
import type { PagingWord } from '../PagingWords.ts';
import { partsOf } from '../template.ts';

/** Throws a RangeError that names the field if the description of an operation can't be right. */
export function checkOperation(caller: string, input: OperationInput): void {
  const names: Parameters<OnName>[] = [];
  operationFields.check(caller, input, '', (...name) => names.push(name));
  for (const fault of faultsOf(input, names)) if (fault !== undefined) throw new RangeError(`${caller}: ${fault}`);
}

function* faultsOf(
  input: OperationInput & { readonly listUndocumented?: true },
  names: readonly Parameters<OnName>[],
): Generator<string | undefined> {
  if ((input.response === undefined) === (input.row === undefined))
    yield input.row === undefined
      ? 'response is missing: the shape of a response, or row: that of one of its rows'
      : 'it has response and row; where the response is described, its rows are, too';
  yield* pagingFaults(input);
  const spec = describedSpec(input);
  const { response, rows: list, keyed, outer, columns, params, paging, listUndocumented } = spec;
  yield* requestFaults({ ...spec, params: input.params ?? {} });
  yield keyedFault(spec);
  yield* outerFaults(spec);
  yield* columnFaults(spec);
  if (listUndocumented !== true) yield listFault('rows', response, list, keyed);
  const rows = rowShape(response, list, { keyed, outer, columns });
  const isGuessed = 'undocumented' in paging && paging.undocumented;
  for (const [nameOf, name, where] of names) {
    if (nameOf === 'param') yield nameFault(where, name, params);
    if (nameOf === 'column' && rows !== undefined) yield pathFault(where, name, rows, 'a row');
    const isOpen = input.response === undefined || (isGuessed && /^(next|paging\.at)\b/.test(where));
    if (nameOf === 'field' && !isOpen) yield pathFault(where, name, response, 'response');
  }
  for (const { slot } of pageSlots(input))
    if (slot.name.startsWith(lastRow) && rows !== undefined)
      yield pathFault(`\${${slot.name}}`, slot.name.slice(lastRow.length), rows, 'a row');
  if (Object.keys(spec.order ?? {}).length > 1) yield 'order has one parameter, and its value for newest first';
  yield batchFault(spec);
  yield failureFault(spec.failures);
}

/** Says why nothing can be at a path in a shape. `what`: what has this shape. */
export function pathFault(where: string, path: string, shape: Shape, what: string): string | undefined {
  if (path.includes('.') && 'shape' in fieldAt(shape, [path])) return undefined; // its name has dots
  // `list[field=value]` picks an entry: check the field and the value of each such pick.
  let outer = '';
  for (let picked = pickIn(path); picked !== undefined; picked = picked.rest === undefined ? undefined : pickIn(picked.rest)) {
    outer += `${outer === '' ? '' : '.'}${picked.list}[]`;
    const fault = keysFault(where, path, `${outer}.${picked.field}`, shape, what) ?? textFault(where, path, outer, picked, shape);
    if (fault !== undefined) return fault;
  }
  return keysFault(where, path, path.replaceAll(/\[[^=[\]]+=[^[\]]+\]/g, '[]'), shape, what);
}

/** Says why no entry of a list can be picked: the field never has this text. */
function textFault(where: string, path: string, list: string, { field, value }: Pick, shape: Shape): string | undefined {
  const found = fieldAt(shape, parsePath(`${list}.${field}`)!.keys);
  const at = 'shape' in found ? kindOfShape(found.shape) : undefined;
  const { texts, open } = at?.kind === 'leaf' ? leafOf(at.leaf) : {};
  if (texts === undefined || open === true || texts.includes(value)) return undefined;
  return `${where} is ${inWords(path)}, but ${list}.${field} is never ${inWords(value)}; ${insteadOf(value, texts)}`;
}

/** Says at which key a path leads nowhere. */
function keysFault(where: string, path: string, wanted: string, shape: Shape, what: string): string | undefined {
  const keys = parsePath(wanted)?.keys ?? [wanted];
  for (let depth = 0; depth < keys.length; depth++) {
    const found = fieldAt(shape, keys.slice(0, depth + 1));
    if (found.kind !== 'missing' && found.kind !== 'no list') continue;
    const before = textOf(keys.slice(0, depth));
    const said = `${where} is ${inWords(path)}, but`;
    if (found.kind === 'no list') return `${said} ${before === '' ? what : before} isn't a list`;
    const isList = fieldAt(shape, keys.slice(0, depth)).kind === 'list';
    if (isList) return `${said} ${before === '' ? what : before} is a list`;
    return (
      `${said} ${what} has no ${textOf(keys.slice(0, depth + 1))}; ` + insteadOf(found.key, found.names, before === '' ? '' : `${before}.`)
    );
  }
  return undefined;
}

function textOf(keys: readonly string[]): string {
  return keys.join('.').replaceAll('.[]', '[]');
}

/** Says why a path can't be that of the rows. */
function listFault(where: string, response: Shape, list: string | null, keyed?: string): string | undefined {
  if (list === null) return undefined;
  const missing = list === '' ? undefined : pathFault(where, list, response, 'response');
  if (missing !== undefined) return missing;
  const { kind } = fieldAt(response, list === '' ? [] : parsePath(listPath(list))!.keys);
  if (kind === 'list' || kind === 'open' || list.includes('[]') || (kind === 'object' && keyed !== undefined)) return undefined;
  if (kind === 'object') return `${where} is ${inWords(list)}, which is an object in response: keyed names the column for its keys`;
  return `${where} is ${inWords(list)}, which isn't a list in response`;
}

function keyedFault({ response, rows: list, keyed }: OperationSpec): string | undefined {
  if (keyed === undefined) return undefined;
  if (list === null) return 'keyed needs rows: the path of the object whose members are the rows';
  if (list.includes('[]')) return 'keyed is for the members of one object, so rows must have no []';
  return hasOwnKey(response, list, keyed)
    ? `keyed is ${inWords(keyed)}, which rows have already; name another column for their keys`
    : undefined;
}

function* outerFaults({ response, row, rows: list, keyed, outer }: OperationSpec): Generator<string | undefined> {
  if (outer === undefined) return;
  if (list === null || list === '') {
    yield "outer needs rows inside of an object: a path such as 'orders[].lines', or 'lines'";
    return;
  }
  const holder = holderShape(response, list);
  const rows = rowShape(response, list, { keyed });
  for (const [column, at] of outerColumns(outer)) {
    const where = Array.isArray(outer) ? 'outer' : `outer.${column}`;
    const fault = pathFault(where, at, holder, list.includes('[]') ? 'an entry of the outer list' : 'response');
    const ofRow = `${where} is ${inWords(at)}, which isn't in a row: write response, the shape of the whole data, in place of row`;
    yield fault === undefined || row === undefined ? fault : ofRow;
    if (rows !== undefined && 'shape' in fieldAt(rows, [column]))
      yield `outer has the column ${inWords(column)}, which rows have already; name another one: outer: { another: '${at}' }`;
  }
}

function* columnFaults({ response, rows: list, keyed, outer, columns = {} }: OperationSpec): Generator<string | undefined> {
  const rows = rowShape(response, list, { keyed, outer });
  for (const [column, at] of Object.entries(columns)) if (rows !== undefined) yield pathFault(`columns.${column}`, at, rows, 'a row');
}

type Way = 'no pages' | 'page numbers' | 'offsets' | 'the last row' | 'tokens' | 'addresses' | 'merge';

/** The fields that may be used with each way to the next page. */
const words: { readonly [way in Way]: readonly PagingWord[] } = {
  'no pages': ['total'],
  'page numbers': ['more', 'done', 'total', 'pages', 'alone'],
  offsets: ['more', 'done', 'total', 'pages', 'alone', 'size'],
  'the last row': ['more', 'done', 'total', 'alone', 'size'],
  tokens: ['next', 'more', 'done', 'total', 'alone', 'size', 'nextPath', 'repeats'],
  addresses: ['next', 'more', 'done', 'total', 'size'],
  merge: ['merge', 'alone', 'total'],
};
const allWords = [...new Set(Object.values(words).flat())];

/** Says why the pages of an operation can't be walked in the way that its description says. */
function* pagingFaults(spec: OperationInput): Generator<string | undefined> {
  const { next, merge, pages, size } = spec;
  const slots = pageSlots(spec);
  const names = [...new Set(slots.map(({ slot }) => slot.name))];
  const kinds = [...new Set(names.map((name) => (name.startsWith('last.') ? 'last' : name)))];
  for (const name of names)
    if (spec.params?.[name]?.required === true)
      yield `params.${name} is required, and \${${name}} stands for the place of a page; give the parameter another name`;
  if (kinds.length > 1) yield `it has ${names.map((name) => `\${${name}}`).join(' and ')}; one of them leads to the next page`;
  const way = wayOf(kinds[0], spec);
  const meant = way === 'no pages' ? pageSlotNames.find((name) => Object.hasOwn(spec.params ?? {}, name)) : undefined;
  if (meant !== undefined)
    yield (
      `params.${meant} is in no text, so no page after the first is requested; write query: { ${meant}: '\${${meant}}' }, or give ` +
        `another name to what is no place of a page`
    );
  if (kinds[0] === 'cursor' && next === undefined)
    yield "it has ${cursor}, so next is missing: where a response has the token of the next page, such as next: 'meta.next'";
  if (kinds[0] !== undefined && merge !== undefined) yield `it has \${${names[0]!}} and merge; one of them leads to the next page`;
  for (const word of allWords) if (spec[word] !== undefined && !words[way].includes(word)) yield misfit(word, way);
  if (way === 'offsets' && pages !== undefined && size === undefined)
    yield 'pages needs size: with ${offset}, the number of rows of a page. total may say how many rows there are';
  const headers = next === undefined ? [] : [next].flat().filter((source) => source.startsWith(inHeader));
  if (headers.length > 1) yield `next has ${headers.map(inWords).join(' and ')}; one header leads to the next page`;
  if (way === 'tokens' && headers[0]?.toLowerCase() === 'header:link')
    yield "next is 'header:link', which has the address of the next page, so no text can have ${cursor}";
  for (const { slot } of slots) {
    const isCount = slot.name === 'page' || slot.name === 'offset';
    if (isCount && slot.as !== undefined && !/^(0|[1-9]\d{0,14})$/.test(slot.as))
      yield `it has \${${slot.name}:${slot.as}}; behind the colon stands the number of the first page, such as \${${slot.name}:1}`;
    if (slot.name.startsWith('last.') && slot.as !== undefined)
      yield `it has \${${slot.name}:${slot.as}}; the first page has no row before it`;
  }
  for (const part of methods.flatMap((method) => partsOf(spec[method] ?? '')))
    if (typeof part !== 'string' && isPageSlot(part) && part.as === undefined)
      yield `\${${part.name}} is in the path, so it needs a first value, such as \${${part.name}:1}`;
}

function wayOf(kind: string | undefined, { next, merge }: OperationInput): Way {
  if (kind === undefined) return merge !== undefined ? 'merge' : next !== undefined ? 'addresses' : 'no pages';
  return kind === 'page' ? 'page numbers' : kind === 'offset' ? 'offsets' : kind === 'cursor' ? 'tokens' : 'the last row';
}

function misfit(word: PagingWord, way: Way): string {
  if (way === 'no pages')
    return `${word} says something of pages, and nothing leads to the next one: \${page:1}, \${offset} or \${cursor} in a text, or next`;
  const other = Object.keys(words).filter((each) => words[each as Way].includes(word));
  const leads = way === 'merge' ? 'merge leads' : way === 'the last row' ? 'the last row leads' : `${way} lead`;
  return `here ${leads} to the next page, so leave ${word} out; it is for ${other.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`;
}
