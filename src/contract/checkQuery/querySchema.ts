import { z } from 'zod';
import type { Operation } from '../Operation.ts';
import type { ParamSpec } from '../Param.ts';
import { shown } from '../shown.ts';
import { formats, rightValue } from './formats.ts';
import { brokenRule, type Given } from './rules.ts';

export type QuerySchema = z.ZodType<Given>;

const schemas = new WeakMap<Operation, QuerySchema>();

/** The schema of an operation's query: strict, nothing coerced, rules included. Made from the data when first used. */
export function querySchema(operation: Operation): QuerySchema {
  let schema = schemas.get(operation);
  if (schema === undefined) {
    schema = build(operation);
    schemas.set(operation, schema);
  }
  return schema;
}

function build({ params, spec }: Operation): QuerySchema {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, param] of Object.entries(params)) {
    const schema = spec.path.includes(`{${name}}`) ? inPath(name, paramSchema(name, param)) : paramSchema(name, param);
    shape[name] = param.required === true ? schema : schema.optional();
  }
  const object = z.strictObject(shape);
  const { rules = [] } = spec;
  if (rules.length === 0) return object;
  return object.superRefine(
    (given, context) => {
      for (const rule of rules) {
        const issue = brokenRule(rule, given, params);
        if (issue !== undefined) context.addIssue({ code: 'custom', path: [issue.param], message: issue.message });
      }
    },
    // Also if single values are wrong, so that all problems are reported at once.
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );
}

/** A value in a path must not leave its part of the path. */
function inPath(name: string, schema: z.ZodType): z.ZodType {
  return schema.refine((value) => value !== '.' && value !== '..', {
    error: ({ input }) => `${name} is part of a path and can't be ${shown(input)}`,
  });
}

function paramSchema(name: string, param: ParamSpec): z.ZodType {
  const right = rightValue(param);
  const error = (issue: { readonly input?: unknown }): string =>
    issue.input === undefined ? `${name} is required: ${param.about}` : `${name} must be ${right}, not ${shown(issue.input)}`;
  if (param.type === 'boolean') return z.boolean({ error });
  if (param.type === 'integer') {
    const { min = -Infinity, max = Infinity, step = 1 } = param;
    const fits = (value: number): boolean => Number.isSafeInteger(value) && value >= min && value <= max && value % step === 0;
    return z.number({ error }).refine(fits, { error });
  }
  const { oneOf, format, several } = param;
  const text = z.string({ error });
  if (oneOf !== undefined) {
    const values = new Set(oneOf);
    return text.refine(several === true ? (list) => list.split(',').every((value) => values.has(value)) : (value) => values.has(value), {
      error,
    });
  }
  if (format !== undefined) return text.refine(formats[format].test, { error });
  return text.refine((value) => value.trim() !== '' && !/\p{Surrogate}/u.test(value), {
    error: (issue) =>
      String(issue.input).trim() === ''
        ? `${name} must not be empty${param.required === true ? '' : '; leave it out instead'}`
        : `${name} holds half a surrogate pair, which can't be sent: ${shown(issue.input)}`,
  });
}
