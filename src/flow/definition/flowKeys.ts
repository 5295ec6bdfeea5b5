import { z } from 'zod';
import { flowFormats } from './flowFormat.ts';

/** The end of a message for somebody who gives `split` an area of the map. */
export const useCover = '; an area of the map goes into cover, a key of the stage';

interface KeyText {
  readonly key: string;
  /** What it means. */
  readonly about: string;
  /** The default. */
  readonly standard: string;
}

/** All keys with their texts, for the guides: of a flow, of a stage, and those inside them. */
export function keyTexts(): { readonly [of in 'flow' | 'stage' | 'inner']: readonly KeyText[] } {
  const { flow, stage } = flowFormats();
  const { stages: _, ...own } = flow.shape;
  return { flow: keysOf(flow, ''), stage: keysOf(stage, ''), inner: [...innerKeys(own, ''), ...innerKeys(stage.shape, '')] };
}

function keysOf({ shape }: z.ZodObject, inside: string): readonly KeyText[] {
  return Object.entries(shape).map(([key, { description = '' }]) => {
    const [about = '', standard = ''] = description.split(/ Left out: (.*)\.$/);
    return { key: `${inside}${key}`, about, standard };
  });
}

function innerKeys(shape: z.ZodObject['shape'], inside: string): readonly KeyText[] {
  return Object.entries(shape).flatMap(([key, given]) => {
    const held = holderIn(given as z.ZodType);
    const [object, at] = held instanceof z.ZodRecord ? [holderIn(held.valueType as z.ZodType), `${key}.FIELD.`] : [held, `${key}.`];
    return object instanceof z.ZodObject ? [...keysOf(object, inside + at), ...innerKeys(object.shape, inside + at)] : [];
  });
}

interface ObjectKeys {
  readonly what: string;
  readonly keys: readonly string[];
  /** Those that can't be left out. */
  readonly needed: readonly string[];
}

const whatKeysAreOf: { readonly [key: string]: string } = {
  tolerance: 'a tolerance',
  expect: "a stage's expectations",
  rows: 'bounds',
  rowsPerQuery: 'bounds',
  to: 'a file',
  columns: 'a column',
};

/** The keys that an object at a path may have. */
export function keysAt(at: readonly (string | number)[]): ObjectKeys {
  const { shape } = at.reduce<z.ZodType>((held, key) => holderIn(valueIn(held, key)), flowFormats().flow) as z.ZodObject;
  const keys = Object.keys(shape);
  const needed = keys.filter((key) => !(shape[key] as z.ZodType).isOptional());
  return { what: whatIs(at), keys, needed };
}

function whatIs([first, , third, ...inner]: readonly (string | number)[]): string {
  if (first === undefined) return 'a flow';
  if (first !== 'stages') return String(first);
  if (third === undefined) return 'a stage';
  if (third === 'where' || third === 'when' || third === 'until') return 'a comparison';
  const key = String(inner.find((one) => typeof one === 'string') ?? third);
  return whatKeysAreOf[key] ?? key;
}

function valueIn(held: z.ZodType, key: string | number): z.ZodType {
  if (typeof key === 'number') return held; // `holderIn` is in the list already
  return (held instanceof z.ZodObject ? held.shape[key] : (held as z.ZodRecord).valueType) as z.ZodType;
}

/** The object or table inside a format that may have several forms. If there is none, the format itself. */
function holderIn(format: z.ZodType): z.ZodType {
  if (format instanceof z.ZodOptional) return holderIn(format.unwrap() as z.ZodType);
  if (format instanceof z.ZodArray) return holderIn(format.element as z.ZodType);
  if (!(format instanceof z.ZodUnion)) return format;
  const forms = format.options.map((form) => holderIn(form as z.ZodType));
  return forms.find((form) => form instanceof z.ZodObject || form instanceof z.ZodRecord) ?? format;
}
