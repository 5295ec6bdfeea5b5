import { rowPlaceOf, rowShape } from './fieldAt.ts';
import type { Operation } from './Operation.ts';
import { fieldsOf, kindOfShape, leafOf, type Leaf, type MapShape, type ObjectShape, type Shape } from './Shape.ts';

/** A JSON Schema (2020-12), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * The shape of an operation's `data` as JSON Schema. Undocumented fields are allowed everywhere. If the operation has variants, any of
 * them is valid.
 */
export function responseJsonSchema(operation: Operation): JsonSchema {
  const { response, variants } = operation.spec;
  if (variants === undefined) return schemaOf(response);
  return { anyOf: [response, ...Object.values(variants.values).map((variant) => variant.response)].map(schemaOf) };
}

/** The shape of a row as JSON Schema. `list`: the dotted path of another list than the operation's own. `{}` if rows are undocumented. */
export function rowJsonSchema(operation: Operation, list: string | null = operation.spec.rows): JsonSchema {
  const shape = rowShape(operation.spec.response, list, rowPlaceOf(operation, list));
  return shape === undefined ? {} : schemaOf(shape);
}

function schemaOf(shape: Shape): JsonSchema {
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'leaf':
      return leafSchema(at.leaf);
    case 'list':
      return { type: 'array', items: schemaOf(at.of) };
    case 'nullable':
      return { anyOf: [schemaOf(at.of), { type: 'null' }] };
    case 'hint':
      return {};
    case 'oneOf':
      return { anyOf: [...at.union.$oneOf.map(schemaOf), ...(at.union.$open === true ? [{ type: 'object' }] : [])] };
    case 'map':
      return mapSchema(at.map);
    default:
      return objectSchema(at.object);
  }
}

function leafSchema(leaf: Leaf): JsonSchema {
  const { type, nullable, texts, open, remark } = leafOf(leaf);
  const description = remark === undefined ? {} : { description: remark };
  if (type === 'unknown') return description;
  const types = [...type.split('|'), ...(nullable ? ['null'] : [])];
  const values = texts === undefined ? {} : open === true ? { examples: texts } : { enum: texts };
  return { type: types.length === 1 ? types[0] : types, ...values, ...description };
}

function objectSchema(shape: ObjectShape): JsonSchema {
  const fields = fieldsOf(shape);
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field.shape)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: true,
  };
}

function mapSchema({ $map, $known = {}, $suffix, $twin = 'unknown' }: MapShape): JsonSchema {
  const twins = $suffix === undefined ? {} : { patternProperties: { [`${$suffix}$`]: schemaOf($twin) } };
  return { ...objectSchema($known), ...twins, additionalProperties: schemaOf($map) };
}
