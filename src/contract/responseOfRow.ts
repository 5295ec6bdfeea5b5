import { listPath } from '../../operators/walk/rowsAt.ts';
import { parsePath } from '../../operators/kit/path.ts';
import type { PagingWords } from './PagingWords.ts';
import type { Leaf, ObjectShape, Shape } from './Shape.ts';

/** The type of a response, from a description that says only where its rows are and what a row looks like. */
export type ResponseOfRow<Path, Row, Keyed> = Path extends string
  ? Path extends `${infer List}[]${infer Inner}`
    ? Within<List, readonly [Inner extends `.${infer At}` ? EntryOf<At, Row> : Row]>
    : Path extends `${infer List}[${string}]`
      ? Within<List, readonly [Row]>
      : Within<Path, Keyed extends string ? { readonly $map: Row } : readonly [Row]>
  : Row;
type EntryOf<Path extends string, Row> = Path extends `${infer List}[]${infer Inner}`
  ? Within<List, readonly [Inner extends `.${infer At}` ? EntryOf<At, Row> : Row]>
  : Within<Path, { readonly $oneOf: readonly [readonly [Row], Row] }>;
type Within<Path extends string, What> = Path extends ''
  ? What
  : Path extends `${infer Head}.${infer Rest}`
    ? { readonly [field in Head]: Within<Rest, What> }
    : { readonly [field in Path]: What };

/** The shape of such a response. It also has the fields that lead to the next page, as optional ones. */
export function responseOfRow(path: string | null, row: Shape, keyed: string | undefined, words: PagingWords): Shape {
  if (path === null) return row;
  const response = within(listPath(path), row, keyed);
  if (Array.isArray(response) || typeof response !== 'object') return response;
  const { next = [], merge, more, done, total, pages } = words;
  const fields: [string | undefined, Leaf][] = [
    ...[next].flat().map((at): [string, Leaf] => [at, 'string']),
    [merge, 'object'],
    [more, 'boolean'],
    [done, 'boolean'],
    [total, 'integer'],
    [pages, 'integer'],
  ];
  return fields.reduce<ObjectShape>((shape, [at, leaf]) => {
    const keys = at === undefined || at.includes('[') ? undefined : parsePath(at)?.keys;
    return keys === undefined || at!.startsWith('header:') ? shape : withField(shape, keys, leaf);
  }, response as ObjectShape);
}

function within(path: string, row: Shape, keyed: string | undefined, isInside = false): Shape {
  const list = path.indexOf('[]');
  if (list >= 0) {
    const inner = path.slice(list + 2).replace(/^\./, '');
    return nested(path.slice(0, list), [inner === '' ? row : within(inner, row, keyed, true)]);
  }
  return nested(path, isInside ? { $oneOf: [[row], row] } : keyed === undefined ? [row] : { $map: row });
}

function nested(path: string, what: Shape): Shape {
  return path === '' ? what : path.split('.').reduceRight<Shape>((inner, key) => ({ [key]: inner }), what);
}

/** An object with one more optional field, which is a hint, so it is never checked. */
function withField(shape: ObjectShape, [key = '', ...rest]: readonly string[], leaf: Leaf): ObjectShape {
  const [known, inner] = Object.entries(shape).find(([field]) => field === key || field === `${key}?`) ?? [];
  if (known === undefined) {
    const made = rest.reduceRight<Shape>((deeper, name) => ({ [`${name}?`]: deeper }), leaf);
    return { ...shape, [`${key}?`]: { $hint: made } };
  }
  const { $hint: hinted = inner } = inner as { readonly $hint?: Shape };
  const isObject = rest.length > 0 && typeof hinted === 'object' && !Array.isArray(hinted) && !('$map' in hinted) && !('$oneOf' in hinted);
  if (!isObject) return shape;
  const deeper = withField(hinted as ObjectShape, rest, leaf);
  return { ...shape, [known]: hinted === inner ? deeper : { $hint: deeper } };
}
