import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { isoTime } from '../../operators/kit/writeTime.ts';
import { type TimeText, timeText, writtenTime } from './timeText.ts';

/** A part of a text that stands for a value: `${name}`. */
export interface Slot {
  readonly name: string;
  /** What is after a colon: how a list is written, or the value to send if the query has none. */
  readonly as: string | undefined;
  /** Set if it stands for a time: which one, and how it is written. */
  readonly time?: TimeText;
  /** It stands for the parameter of this name, even if the name has another meaning in texts, such as `key`. */
  readonly isParam?: true;
  /** It says which page is requested. */
  readonly isPage?: true;
  /** Its value for the first page. */
  readonly first?: string | number;
  /** Its value is this entry of a list. */
  readonly entry?: number;
}

/** Replaces a slot by what it stands for. */
type Meant = (slot: Slot) => Slot;
const itself: Meant = (slot) => slot;

/** A part of a request with slots for values. */
export type Template =
  | { readonly kind: 'constant'; readonly value: unknown }
  /** A text that is only one name. The value keeps its type. */
  | { readonly kind: 'slot'; readonly slot: Slot }
  | { readonly kind: 'text'; readonly parts: readonly (string | Slot)[] }
  | { readonly kind: 'list'; readonly entries: readonly Template[] }
  | { readonly kind: 'object'; readonly fields: Fields };
type Fields = readonly (readonly [field: string, template: Template])[];

/** Returns the value of a slot. undefined: it has none. */
export type ValueOf = (slot: Slot) => unknown;

const slotPattern = /\$\{([^{}]*)\}/g;
const word = /^([^:]+)(?::(.+))?$/s;

/** Splits a text into constant parts and slots. */
export function partsOf(text: string, meant: Meant = itself): readonly (string | Slot)[] {
  const parts: (string | Slot)[] = [];
  let end = 0;
  for (const { 0: whole, 1: inner, index } of text.matchAll(slotPattern)) {
    if (index > end) parts.push(text.slice(end, index));
    const time = timeText(inner!);
    const [, name = '', as] = word.exec(inner!) ?? [];
    parts.push(meant(time === undefined ? { name, as } : { name: time.of, as: undefined, time }));
    end = index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Reads a part of a description: a text, or a list or an object with texts inside. */
export function templateOf(part: unknown, meant: Meant = itself): Template {
  if (typeof part === 'string') {
    const parts = partsOf(part, meant);
    const [first] = parts;
    if (parts.every((one) => typeof one === 'string')) return { kind: 'constant', value: part };
    return parts.length === 1 ? { kind: 'slot', slot: first as Slot } : { kind: 'text', parts };
  }
  if (typeof part !== 'object' || part === null) return { kind: 'constant', value: part };
  const template: Template = Array.isArray(part)
    ? { kind: 'list', entries: part.map((entry) => templateOf(entry, meant)) }
    : { kind: 'object', fields: Object.entries(part).map(([field, value]) => [field, templateOf(value, meant)] as const) };
  return slotsOf(template).length === 0 ? { kind: 'constant', value: part } : template;
}

/** The names of all slots in a part of a description. */
export function namesIn(part: unknown): ReadonlySet<string> {
  if (typeof part === 'string') return new Set(partsOf(part).flatMap((one) => (typeof one === 'string' ? [] : [one.name])));
  if (typeof part !== 'object' || part === null) return new Set();
  return new Set(Object.values(part).flatMap((inner) => [...namesIn(inner)]));
}

/** All slots of a template, in order. */
export function slotsOf(template: Template): readonly Slot[] {
  if (template.kind === 'constant') return [];
  if (template.kind === 'slot') return [template.slot];
  if (template.kind === 'text') return template.parts.filter((part) => typeof part !== 'string');
  const inner = template.kind === 'list' ? template.entries : template.fields.map(([, field]) => field);
  return inner.flatMap(slotsOf);
}

/** Fills the slots of a template with values. A field whose slot has no value is left out. undefined: nothing is left. */
export function filled(template: Template, valueOf: ValueOf): unknown {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'slot':
      return valueOf(template.slot);
    case 'text':
      return filledText(template.parts, valueOf);
    case 'list': {
      const values = template.entries.map((entry) => filled(entry, valueOf)).filter((value) => value !== undefined);
      return values.length === 0 && template.entries.some(isPageEntry) ? undefined : values;
    }
    default: {
      const values = template.fields.map(([field, inner]) => [field, filled(inner, valueOf)] as const);
      return Object.fromEntries(values.filter(([, value]) => value !== undefined));
    }
  }
}

/** Whether an entry of a list is a slot for a page. On the first page it has no value, and an empty list is left out. */
function isPageEntry(entry: Template): boolean {
  return entry.kind === 'slot' && entry.slot.isPage === true;
}

/** Like `valueOf`, but a time that isn't given gets a value that excludes no row. So a condition in a body keeps its form. */
export function orAnyTime(valueOf: ValueOf): ValueOf {
  return (slot) => valueOf(slot) ?? anyTime(slot);
}

function anyTime({ time }: Slot): unknown {
  if (time === undefined) return undefined;
  const now = Date.now();
  return writtenTime({ ...time, count: 0 }, time.of === 'to' ? isoTime(now) : '1970-01-01', { now, zone: 'UTC' });
}

/** Fills the slots of a text. `write` turns a value into text. undefined: a slot has no value. */
export function filledText(
  parts: readonly (string | Slot)[],
  valueOf: ValueOf,
  write: (value: unknown) => string = textOfValue,
): string | undefined {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      const value = valueOf(part) ?? anyTime(part);
      if (value === undefined) return undefined;
      text += write(value);
    }
  }
  return text;
}

/** A pattern that matches such a text, with a group for each slot, and perhaps an ending. */
export function patternOf(parts: readonly (string | Slot)[], group: string, ending = ''): RegExp {
  // a time such as YYYY/MM/DD has slashes, and its group must match them
  const groupOf = ({ time }: Slot): string => group.replace('[^/]+', (one) => (time?.as ?? '').split('/').fill(one).join('/'));
  return new RegExp(
    `^${parts.map((part) => (typeof part === 'string' ? part.replaceAll(/[^\w/]/g, '\\$&') : groupOf(part))).join('')}${ending}$`,
    's',
  );
}

/** Reads the values from a part of a request: the reverse of `filled`. */
export function readValues(template: Template, part: unknown, take: (slot: Slot, value: unknown) => void): void {
  if (part === undefined || part === null) return;
  if (template.kind === 'slot') take(template.slot, part);
  else if (template.kind === 'text') {
    const slots = slotsOf(template);
    const [, ...texts] = patternOf(template.parts, '(.*?)').exec(textOfValue(part)) ?? [];
    for (const [at, text] of texts.entries()) take(slots[at]!, text);
  } else if (template.kind === 'list') {
    for (const [at, entry] of template.entries.entries()) readValues(entry, (part as unknown[])[at], take);
  } else if (template.kind === 'object') {
    for (const [field, inner] of template.fields) readValues(inner, ownValue(part, field), take);
  }
}
