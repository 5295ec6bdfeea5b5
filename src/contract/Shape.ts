import { memoizePer } from '../../operators/kit/once.ts';
/**
 * The shape of a response, as data.
 *
 * A leaf is a word, with an optional remark after a colon: `'string: may be abbreviated, such as 1.2K'`. `'=up|down'` is one of these
 * texts. `'~filed|granted'` is one of these texts, or another one. An object has the shapes of its fields, and `[shape]` is a list. A field
 * whose key ends in `?` may be absent. Fields that aren't named are always kept.
 */
export type Shape = Leaf | readonly [Shape] | ObjectShape | OneOfShape | NullableShape | MapShape | HintShape;

/** `leafWords` in `language/operationFields.ts` says what each of them means. */
export type PlainWord = 'string' | 'integer' | 'number' | 'boolean' | 'unknown' | 'object' | 'array' | 'number|string';
type LeafWord = PlainWord | `${PlainWord}|null` | `=${string}` | `~${string}`;
export type Leaf = LeafWord | `${LeafWord}: ${string}`;

export interface ObjectShape {
  readonly [field: string]: Shape;
}
/** One of several shapes. `$by` names the field that tells them apart. Without it, they are tried in order. */
export interface OneOfShape {
  readonly $oneOf: readonly Shape[];
  readonly $by?: string;
  /** Objects with other values of `$by` exist too. */
  readonly $open?: true;
}
/** A likely shape that isn't documented. It gives types and columns, and is never checked. */
export interface HintShape {
  readonly $hint: Shape;
}

declare const other: unique symbol;
/**
 * A text other than the known ones. It isn't a string for the compiler, so that a comparison with a known text tells the alternatives
 * apart. `String(…)` gives the text.
 */
export interface OtherText {
  readonly [other]: true;
}
export interface NullableShape {
  readonly $nullable: Shape;
}
/**
 * An object with variable keys. Values have the shape `$map`, values of keys that end in `$suffix` have the shape `$twin`,
 * and `$known` fields have their own.
 */
export interface MapShape {
  readonly $map: Shape;
  readonly $known?: ObjectShape;
  readonly $suffix?: string;
  readonly $twin?: Shape;
}

/** Flattens an intersection for editors. */
export type Flat<T> = T extends object ? { [K in keyof T]: T[K] } : T;
type Word<L extends string> = L extends `${infer W}: ${string}` ? W : L;
type Options<S extends string> = S extends `${infer A}|${infer B}` ? A | Options<B> : S;
type LeafValue<W extends string> = W extends `=${infer V}`
  ? Options<V>
  : W extends `~${infer V}`
    ? Options<V> | (string & {})
    : W extends 'string'
      ? string
      : W extends 'integer' | 'number'
        ? number
        : W extends 'boolean'
          ? boolean
          : W extends 'object'
            ? { readonly [field: string]: unknown }
            : W extends 'array'
              ? readonly unknown[]
              : W extends 'number|string'
                ? number | string
                : W extends `${infer Plain}|null`
                  ? LeafValue<Plain> | null
                  : unknown;

type Required<S> = { readonly [K in keyof S as K extends `${string}?` ? never : K]: TypeOf<S[K]> };
type Optional<S> = { readonly [K in keyof S as K extends `${infer N}?` ? N : never]?: TypeOf<S[K]> };

/** The TypeScript type of a response of shape `S`. unknown if the shape isn't known to the compiler. */
export type TypeOf<S> = Shape extends S
  ? unknown
  : S extends string
    ? LeafValue<Word<S>>
    : S extends readonly [infer E]
      ? readonly TypeOf<E>[]
      : S extends { readonly $oneOf: readonly (infer E)[] }
        ? (E extends unknown ? TypeOf<E> : never) | OpenEnd<S>
        : S extends { readonly $nullable: infer E }
          ? TypeOf<E> | null
          : S extends { readonly $hint: infer E }
            ? TypeOf<E>
            : S extends { readonly $map: infer V }
              ? MapTypeOf<S, V>
              : Flat<Required<S> & Optional<S>>;

type OpenEnd<S> = S extends { readonly $open: true; readonly $by: infer By extends string } ? { readonly [B in By]: OtherText } : never;

type MapTypeOf<S, V> = (S extends { readonly $known: infer K } ? TypeOf<K> : unknown) &
  (S extends { readonly $suffix: infer X extends string; readonly $twin: infer T }
    ? { readonly [key in `${string}${X}`]: TypeOf<T> | undefined }
    : unknown) & { readonly [key: string]: MapValue<S, TypeOf<V> | undefined> };
/** The type of any key's value. The known fields and the twins must fit it too. */
type MapValue<S, V> = S extends { readonly $twin: Shape }
  ? unknown
  : S extends { readonly $known: infer K }
    ? TypeOf<K>[keyof TypeOf<K>] extends V
      ? V
      : unknown
    : V;

export type KindOfShape =
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'oneOf'; readonly union: OneOfShape }
  | { readonly kind: 'nullable'; readonly of: Shape }
  | { readonly kind: 'hint'; readonly of: Shape }
  | { readonly kind: 'map'; readonly map: MapShape }
  | { readonly kind: 'object'; readonly object: ObjectShape };

/** Says which kind of shape it is. All readers of shapes use this. */
export function kindOfShape(shape: Shape): KindOfShape {
  if (typeof shape === 'string') return { kind: 'leaf', leaf: shape };
  if (Array.isArray(shape)) return { kind: 'list', of: (shape as readonly [Shape])[0] };
  if ('$oneOf' in shape) return { kind: 'oneOf', union: shape as OneOfShape };
  if ('$nullable' in shape) return { kind: 'nullable', of: (shape as NullableShape).$nullable };
  if ('$hint' in shape) return { kind: 'hint', of: (shape as HintShape).$hint };
  if ('$map' in shape) return { kind: 'map', map: shape as MapShape };
  return { kind: 'object', object: shape as ObjectShape };
}

/** A leaf of a shape, taken apart. */
export interface LeafParts {
  readonly type: PlainWord;
  readonly nullable: boolean;
  /** The known texts. */
  readonly texts?: readonly string[];
  /** Other texts exist too. */
  readonly open?: boolean;
  readonly remark?: string;
}

/** Takes a leaf apart: `'integer|null: of the day'` is a nullable integer with a remark. */
export function leafOf(leaf: Leaf): LeafParts {
  const colon = leaf.indexOf(': ');
  const word = colon < 0 ? leaf : leaf.slice(0, colon);
  const remark = colon < 0 ? {} : { remark: leaf.slice(colon + 2) };
  if (word.startsWith('=') || word.startsWith('~')) {
    return { type: 'string', nullable: false, texts: word.slice(1).split('|'), open: word.startsWith('~'), ...remark };
  }
  const nullable = word.endsWith('|null');
  return { type: (nullable ? word.slice(0, -5) : word) as LeafParts['type'], nullable, ...remark };
}

/** A field of an object, taken apart. */
export interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: Shape;
}

/** The fields of an object in documented order: `'phone?'` is the field `phone`, which may be absent. */
export const fieldsOf: (shape: ObjectShape) => readonly Field[] = memoizePer((shape) =>
  Object.entries(shape).map(([key, value]) => {
    const optional = key.endsWith('?');
    return { name: optional ? key.slice(0, -1) : key, optional, shape: value };
  }),
);
