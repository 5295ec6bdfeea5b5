import { textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';

/** A place in a text that stands for a value: `${name}`. Behind a colon stands how the value is written: `${ids:comma}`. */
export interface Slot {
  readonly name: string;
  readonly as: string | undefined;
  /** No text has it: it is a parameter, whatever its name means in a text. */
  readonly isParam?: true;
}

/** What a part of a request is made of: values of a query in their places, constants around them. */
export type Template =
  | { readonly kind: 'constant'; readonly value: unknown }
  /** A text that is only one name. The value keeps its type. */
  | { readonly kind: 'slot'; readonly slot: Slot }
  | { readonly kind: 'text'; readonly parts: readonly (string | Slot)[] }
  | { readonly kind: 'list'; readonly entries: readonly Template[] }
  | { readonly kind: 'object'; readonly fields: Fields };
type Fields = readonly (readonly [field: string, template: Template])[];

/** The value of a name. undefined: it has none. */
export type ValueOf = (slot: Slot) => unknown;

const place = /\$\{([^{}]*)\}/g;
const word = /^([^:]+)(?::(.+))?$/s;

/** The parts of a text: what stands as it is, and the places for values. */
export function partsOf(text: string): readonly (string | Slot)[] {
  const parts: (string | Slot)[] = [];
  let end = 0;
  for (const { 0: whole, 1: inner, index } of text.matchAll(place)) {
    if (index > end) parts.push(text.slice(end, index));
    const [, name = '', as] = word.exec(inner!) ?? [];
    parts.push({ name, as });
    end = index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Reads a part of a description: a text, or a list or an object with texts inside. */
export function templateOf(part: unknown): Template {
  if (typeof part === 'string') {
    const parts = partsOf(part);
    const [first] = parts;
    if (parts.every((one) => typeof one === 'string')) return { kind: 'constant', value: part };
    return parts.length === 1 ? { kind: 'slot', slot: first as Slot } : { kind: 'text', parts };
  }
  if (typeof part !== 'object' || part === null) return { kind: 'constant', value: part };
  const template: Template = Array.isArray(part)
    ? { kind: 'list', entries: part.map(templateOf) }
    : { kind: 'object', fields: Object.entries(part).map(([field, value]) => [field, templateOf(value)] as const) };
  return slotsOf(template).length === 0 ? { kind: 'constant', value: part } : template;
}

/** All places of a template, in the order in which they stand. */
export function slotsOf(template: Template): readonly Slot[] {
  if (template.kind === 'constant') return [];
  if (template.kind === 'slot') return [template.slot];
  if (template.kind === 'text') return template.parts.filter((part) => typeof part !== 'string');
  const inner = template.kind === 'list' ? template.entries : template.fields.map(([, field]) => field);
  return inner.flatMap(slotsOf);
}

/** Names of times. What a list has with one of them is a condition, which goes as a whole where there is no time yet. */
const times: readonly string[] = ['since', 'to', 'from'];

/**
 * A part of a request with the values in their places. A field whose name has no value is left out. undefined: nothing is left. An entry
 * of a list that lacks a time goes as a whole, and with the last entry the object that holds the list.
 */
export function filled(template: Template, valueOf: ValueOf): unknown {
  return fill(template, valueOf).value;
}

/** The body of a request. It stays whatever it lacks, and so do the objects of a list that is the body. */
export function filledBody(template: Template, valueOf: ValueOf): unknown {
  if (template.kind === 'object') return fillFields(template.fields, valueOf).value;
  return template.kind === 'list' ? template.entries.map((entry) => filledBody(entry, valueOf)) : filled(template, valueOf);
}

interface Filled {
  readonly value: unknown;
  /** A time has no value. */
  readonly lacksTime: boolean;
}

function fill(template: Template, valueOf: ValueOf): Filled {
  if (template.kind === 'constant') return { value: template.value, lacksTime: false };
  if (template.kind === 'slot' || template.kind === 'text') {
    const value = template.kind === 'slot' ? valueOf(template.slot) : filledText(template.parts, valueOf);
    return { value, lacksTime: value === undefined && slotsOf(template).some(({ name }) => times.includes(name)) };
  }
  if (template.kind === 'list') {
    const entries = template.entries.map((entry) => fill(entry, valueOf));
    const left = entries.filter(({ value, lacksTime }) => value !== undefined && !lacksTime);
    const lacksTime = left.length === 0 && entries.some((entry) => entry.lacksTime);
    return { value: lacksTime ? undefined : left.map(({ value }) => value), lacksTime };
  }
  const { fields } = template;
  const { value, lacksTime, lost } = fillFields(fields, valueOf);
  return lost ? { value: undefined, lacksTime } : { value, lacksTime };
}

function fillFields(fields: Fields, valueOf: ValueOf): Filled & { readonly lost: boolean } {
  const values = fields.map(([field, template]) => [field, template.kind, fill(template, valueOf)] as const);
  return {
    value: Object.fromEntries(values.flatMap(([field, , { value }]) => (value === undefined ? [] : [[field, value]]))),
    lacksTime: values.some(([, , inner]) => inner.lacksTime),
    lost: values.some(([, kind, inner]) => kind === 'list' && inner.lacksTime),
  };
}

/** A text with the values in their places, each written by `write`. undefined: a name has no value. */
export function filledText(
  parts: readonly (string | Slot)[],
  valueOf: ValueOf,
  write: (value: unknown) => string = textOfValue,
): string | undefined {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      const value = valueOf(part);
      if (value === undefined) return undefined;
      text += write(value);
    }
  }
  return text;
}

/** A pattern that such a text fits, with a group for each value. */
export function patternOf(parts: readonly (string | Slot)[], group: string): RegExp {
  return new RegExp(`^${parts.map((part) => (typeof part === 'string' ? part.replaceAll(/[^\w/]/g, '\\$&') : group)).join('')}$`, 's');
}

/** Takes the values out of a part of a request: the reverse of `filled`. */
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
