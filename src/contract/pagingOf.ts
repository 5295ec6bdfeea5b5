import { ownValue } from '../../operators/kit/ownValue.ts';
import type { Flag, Flags } from '../../operators/walk/paging/followToken.ts';
import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';
import { parsePath } from '../../operators/kit/path.ts';
import { fieldAt } from './fieldAt.ts';
import type { OperationInput } from './Operation.ts';
import type { PagingWords } from './PagingWords.ts';
import { type Method, methods } from './Param.ts';
import { kindOfShape, leafOf, type Shape } from './Shape.ts';
import { partsOf, type Slot } from './template.ts';

/** The names that stand for the place of a page in a walk, and `last.field`: a field of the last row of the page before. */
export const placeNames: readonly string[] = ['page', 'offset', 'cursor'];
export const lastRow = 'last.';

export function isPlaceOfPage({ name, isParam }: Slot): boolean {
  return isParam !== true && (placeNames.includes(name) || name.startsWith(lastRow));
}

/** A place for what leads to the next page. */
export interface PlaceOfPage {
  readonly slot: Slot;
  /** The field whose text it is, if that has nothing else. */
  readonly field: string | undefined;
}

export function placesOfPage(
  spec: Pick<OperationInput, Method | 'nextPath' | 'query' | 'headers' | 'body' | 'form'>,
): readonly PlaceOfPage[] {
  const { nextPath, query, headers, body, form } = spec;
  return [...methods.map((method) => spec[method]), nextPath, query, headers, body, form].flatMap((part) => [...placesIn(part)]);
}

function* placesIn(part: unknown, field?: string): Generator<PlaceOfPage> {
  if (typeof part === 'string') {
    if (!part.includes('${')) return;
    const parts = partsOf(part);
    for (const slot of parts)
      if (typeof slot !== 'string' && isPlaceOfPage(slot)) yield { slot, field: parts.length === 1 ? field : undefined };
  } else if (typeof part === 'object' && part !== null) {
    for (const [name, value] of Object.entries(part)) yield* placesIn(value, Array.isArray(part) ? field : name);
  }
}

/** How the pages of an operation are walked, as its texts and words say. */
export function pagingOf(spec: OperationInput, response: Shape): Paging {
  const { params = {}, next, merge, size, alone, nextPath, repeats, ownPaging = {} } = spec;
  const places = placesOfPage(spec);
  const [place] = places;
  if (merge !== undefined) return { kind: 'merge', at: merge, ...given({ alone }) };
  if (place === undefined && next === undefined) return { kind: 'none' };
  const flags = flagsOf(spec, response);
  const { undocumented, unless: _, ...own } = ownPaging;
  const name = place?.slot.name ?? 'next';
  // What is declared under the name of its field is a parameter that a caller may know.
  const declared = places.find(({ field }) => field !== undefined && Object.hasOwn(params, field))?.field;
  const first = firstOf(places);
  if (name === 'page' || name === 'offset') {
    const { total, pages } = spec;
    const step = name === 'page' ? 1 : (size ?? 'received');
    return {
      kind: 'offset',
      param: declared ?? name,
      first: Number(first ?? 0),
      step,
      ...flags,
      ...given({ total, pages, alone }),
      ...own,
    };
  }
  if (name.startsWith(lastRow)) {
    const fields = [...new Set(places.map(({ slot }) => slot.name.slice(lastRow.length)))];
    return {
      kind: 'last',
      param: declared ?? 'last',
      from: fields.length === 1 ? fields[0]! : fields,
      ...flags,
      ...given({ size, alone }),
    };
  }
  const sources = next === undefined ? [] : [next].flat();
  const header = sources.find((source) => source.startsWith(inHeader))?.slice(inHeader.length);
  const link = header?.toLowerCase() === 'link';
  return {
    kind: 'cursor',
    param: declared ?? name,
    at: sources.filter((source) => !source.startsWith(inHeader)),
    ...(place === undefined && { address: true as const }),
    ...(link ? { link } : given({ header })),
    ...flags,
    ...given({ first, size, alone, path: nextPath, repeats, undocumented }),
  };
}

export const inHeader = 'header:';

/** What stands behind the colon of a place: the value of the first page. */
function firstOf(places: readonly PlaceOfPage[]): string | number | undefined {
  const text = places.find(({ slot }) => slot.as !== undefined)?.slot.as;
  return text !== undefined && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

type Given<T> = { [K in keyof T]?: NonNullable<T[K]> };
/** The fields that have a value. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

function flagsOf({ more, done }: PagingWords, response: Shape): Flags {
  return given({ more: flagAt(response, more), done: flagAt(response, done) });
}

/** A field that is documented as neither true nor false says something by its presence. */
function flagAt(response: Shape, path: string | undefined): Flag | undefined {
  if (path === undefined) return undefined;
  const found = fieldAt(response, parsePath(path)?.keys ?? [path]);
  if (!('shape' in found)) return path;
  const at = kindOfShape(found.shape);
  const isFlag = at.kind === 'hint' || (at.kind === 'leaf' && ['boolean', 'integer', 'number', 'unknown'].includes(leafOf(at.leaf).type));
  return isFlag ? path : { present: path };
}

/**
 * The parameter that a place stands for, and its value in the request of the first page. Of several fields of the last row, `entry`: the
 * parameter is a list of them.
 */
export function asParam(paging: Paging, slot: Slot): Slot {
  if (!isPlaceOfPage(slot) || paging.kind === 'none' || paging.kind === 'merge') return slot;
  const first = slot.as === undefined || !('first' in paging) ? undefined : paging.first;
  const from = paging.kind === 'last' ? [paging.from].flat() : [];
  const entry = from.length > 1 ? from.indexOf(slot.name.slice(lastRow.length)) : undefined;
  return { name: paging.param, as: undefined, isParam: true, isPlace: true, ...given({ first, entry }) };
}

/** The value of a place, of a query in which it is a parameter. */
export function valueOfPlace({ name, first, entry }: Slot, values: object): unknown {
  const value = ownValue(values, name);
  return (entry === undefined || value === undefined ? value : (value as readonly unknown[])[entry]) ?? first;
}
