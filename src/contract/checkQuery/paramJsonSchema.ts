import type { JsonSchema } from '../responseJsonSchema.ts';
import type { ParamSpec } from '../Param.ts';
import { formats } from './formats.ts';

/** A parameter's value as JSON Schema. */
export function paramJsonSchema(param: ParamSpec): JsonSchema {
  const { type, min, max, step, oneOf, several, known, format } = param;
  return {
    type,
    ...(param.default === undefined ? {} : { default: param.default }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(step === undefined ? {} : { multipleOf: step }),
    ...(type === 'string' ? text() : {}),
  };

  function text(): JsonSchema {
    if (oneOf !== undefined && several === true) return { pattern: `^(${oneOf.join('|')})(,(${oneOf.join('|')}))*$` };
    if (oneOf !== undefined) return { enum: oneOf };
    const examples = known === undefined ? {} : { examples: known };
    return format === undefined ? { minLength: 1, ...examples } : { ...formats[format].schema, ...examples };
  }
}
