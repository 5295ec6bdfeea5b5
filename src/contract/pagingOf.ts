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

/** The names of slots that say which page is requested. `last.field` is another one: a field of the last row of the page before. */
export const pageSlotNames: readonly string[] = ['page', 'offset', 'cursor'];
export const lastRow = 'last.';

export function isPageSlot({ name, isParam }: Slot): boolean {
  return isParam !== true && (pageSlotNames.includes(name) || name.startsWith(lastRow));
}

/** A slot that says which page is requested. */
interface PageSlot {
  readonly slot: Slot;
  /** The field that has it, if the slot is the whole text of the field. */
  readonly field: string | undefined;
}

export function pageSlots(spec: Pick<OperationInput, Method | 'nextPath' | 'query' | 'headers' | 'body' | 'form'>): readonly PageSlot[] {
  const { nextPath, query, headers, body, form } = spec;
  return [...methods.map((method) => spec[method]), nextPath, query, headers, body, form].flatMap((part) => [...slotsIn(part)]);
}

function* slotsIn(part: unknown, field?: string): Generator<PageSlot> {
  if (typeof part === 'string') {
    if (!part.includes('${')) return;
    const parts = partsOf(part);
    for (const slot of parts)
      if (typeof slot !== 'string' && isPageSlot(slot)) yield { slot, field: parts.length === 1 ? field : undefined };
  } else if (typeof part === 'object' && part !== null) {
    for (const [name, value] of Object.entries(part)) yield* slotsIn(value, Array.isArray(part) ? field : name);
  }
}

/** The paging of an operation, from its texts and its `PagingWords`. */
export function pagingOf(spec: OperationInput, response: Shape): Paging {
  const { params = {}, next, merge, size, alone, nextPath, repeats, ownPaging = {} } = spec;
  const slots = pageSlots(spec);
  const [firstSlot] = slots;
  if (merge !== undefined) return { kind: 'merge', at: merge, ...given({ alone }) };
  if (firstSlot === undefined && next === undefined) return { kind: 'none' };
  const flags = flagsOf(spec, response);
  const { undocumented, unless: _, ...own } = ownPaging;
  const name = firstSlot?.slot.name ?? 'next';
  // If `params` declares the field's name, that is the parameter, because callers may know it.
  const declared = slots.find(({ field }) => field !== undefined && Object.hasOwn(params, field))?.field;
  const first = firstOf(slots);
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
    const fields = [...new Set(slots.map(({ slot }) => slot.name.slice(lastRow.length)))];
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
    ...(firstSlot === undefined && { address: true as const }),
    ...(link ? { link } : given({ header })),
    ...flags,
    ...given({ first, size, alone, path: nextPath, repeats, undocumented }),
  };
}

export const inHeader = 'header:';

/** The header of a path such as `header:X-Token`, in small letters. undefined: it is a path in the body. */
export function headerIn(path: string): string | undefined {
  return path.startsWith(inHeader) ? path.slice(inHeader.length).toLowerCase() : undefined;
}

/** The value for the first page, which is after the colon in a slot. */
function firstOf(slots: readonly PageSlot[]): string | number | undefined {
  const text = slots.find(({ slot }) => slot.as !== undefined)?.slot.as;
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

/** For a field that isn't documented as a boolean or a number, it counts whether it is there. */
function flagAt(response: Shape, path: string | undefined): Flag | undefined {
  if (path === undefined) return undefined;
  const found = fieldAt(response, parsePath(path)?.keys ?? [path]);
  if (!('shape' in found)) return path;
  const at = kindOfShape(found.shape);
  const isFlag = at.kind === 'hint' || (at.kind === 'leaf' && ['boolean', 'integer', 'number', 'unknown'].includes(leafOf(at.leaf).type));
  return isFlag ? path : { present: path };
}

/**
 * Turns a slot for a page into the parameter that a walk sets, with its value for the first page. If the parameter is a list of several
 * fields of the last row, `entry` says which of them the slot is.
 */
export function asParam(paging: Paging, slot: Slot): Slot {
  if (!isPageSlot(slot) || paging.kind === 'none' || paging.kind === 'merge') return slot;
  const first = slot.as === undefined || !('first' in paging) ? undefined : paging.first;
  const from = paging.kind === 'last' ? [paging.from].flat() : [];
  const entry = from.length > 1 ? from.indexOf(slot.name.slice(lastRow.length)) : undefined;
  return { name: paging.param, as: undefined, isParam: true, isPage: true, ...given({ first, entry }) };
}

/** The value of such a slot in a query. */
export function pageValue({ name, first, entry }: Slot, values: object): unknown {
  const value = ownValue(values, name);
  return (entry === undefined || value === undefined ? value : (value as readonly unknown[])[entry]) ?? first;
}
