import { fieldsOf, kindOfShape, leafOf, type Shape } from '../../../contract/index.ts';

type Fields = { readonly [field: string]: unknown };

/**
 * A value from a format that has only texts, as its shape describes it: numbers, booleans, null for an empty text, and a list
 * where there is one element or none. What doesn't fit stays as it is, so that it is reported.
 */
export function asDescribed(value: unknown, shape: Shape): unknown {
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
  // An element with attributes is an object, and its text is one of its fields.
  const value =
    typeof given === 'object' && given !== null && '#text' in given && type !== 'object' && type !== 'unknown' ? given['#text'] : given;
  if (typeof value !== 'string') return value;
  if (value === '' && nullable) return null;
  if (type === 'boolean') return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value;
  if (type !== 'integer' && type !== 'number') return value;
  const number = Number(value);
  return value.trim() === '' || !Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? value : number;
}
