import { z } from 'zod';
import { type JsonSchema, type Operation, type ParamType, type Service } from '../../contract/index.ts';
import { serviceOf } from '../definition/Flow.ts';
import { flowFormats } from '../definition/flowFormat.ts';

/** The JSON Schema of a flow over a service, with the operations and their parameters, so that editors complete and check it. */
export function flowJsonSchema(given?: Service): JsonSchema {
  const { operations, fanOuts } = serviceOf({}, given);
  const schema = z.toJSONSchema(flowFormats().flow, {
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => joinAlternatives(jsonSchema),
  }) as unknown as Schema;
  const stage = schema.properties.stages.additionalProperties;
  // one error per fault, instead of a list of all other valid forms
  stage.properties['call'] = {
    description: 'An operation, or a ready fan-out.',
    enum: [...Object.values(operations).map(({ name }) => name), ...Object.keys(fanOuts)],
  };
  stage.properties['with'] = { ...stage.properties['with'], additionalProperties: true }; // according to the call
  stage.allOf = [
    ...Object.values(operations).map((operation) => whenCalled(operation.name, operation.spec.about ?? '', operation, [])),
    ...Object.entries(fanOuts).map(([name, { about, call, with: filled }]) =>
      whenCalled(name, `A ready fan-out: ${about}.`, operations[call]!, Object.keys(filled)),
    ),
  ];
  return {
    ...schema,
    title: 'A trawler flow',
    $defs: {
      string: { ...days, ...several({ type: ['string', 'object'] }), items: { type: 'string' } },
      integer: several({ ...reference, type: ['integer', 'string'] }),
      number: several({ ...reference, type: ['number', 'string'] }),
      boolean: several({ ...reference, type: ['boolean', 'string'] }),
      object: several({ type: 'object' }),
      strings: { minItems: 1, items: several({ ...reference, type: ['string', 'number', 'boolean'] }) },
      array: { minItems: 1 },
    },
  };
}

/**
 * Joins alternatives of different types into one schema. Each keyword applies to one type only, so a fault gives one error
 * instead of one per alternative.
 */
function joinAlternatives(schema: { anyOf?: readonly object[] }): void {
  const { anyOf } = schema;
  if (anyOf === undefined) return;
  delete schema.anyOf;
  // `const` applies to every type
  const alternatives = anyOf.map((one) =>
    'const' in one ? { type: 'string', pattern: `^${String(one.const)}$`, examples: [one.const] } : one,
  );
  Object.assign(schema, ...alternatives, { type: alternatives.flatMap((one) => ('type' in one ? one.type : [])) });
}

/** The parameters in `with` for this call. Those in `filled` are optional. */
function whenCalled(call: string, meaning: string, operation: Operation, filled: readonly string[]): object {
  const params = Object.entries(operation.params);
  const required = params
    .filter(([name, param]) => param.required === true && param.format !== 'time' && !filled.includes(name))
    .map(([name]) => name);
  const properties = Object.fromEntries(
    params.map(([name, { type, about = '', oneOf, known }]) => [name, valuesOf(type, about, oneOf ?? known, oneOf !== undefined)]),
  );
  const query = { properties, additionalProperties: false, ...(required.length === 0 ? {} : { required }) };
  return {
    if: { properties: { call: { const: call, description: meaning } }, required: ['call'] },
    // oxlint-disable-next-line unicorn/no-thenable -- that is what JSON Schema calls it
    then: { properties: { with: query }, ...(required.length === 0 ? {} : { required: ['with'] }) },
  };
}

/** The values of a parameter: one, or a list. */
function valuesOf(type: ParamType, about: string, names: readonly string[] | undefined, only: boolean): object {
  if (names === undefined) return { description: about, $ref: `#/$defs/${type}` };
  if (!only) return { description: about, ...several({ type: 'string', examples: names }) };
  // oxlint-disable-next-line unicorn/no-thenable -- that is what JSON Schema calls it
  const one = { if: reference, then: true, else: { enum: names } };
  return { description: about, ...one, if: { anyOf: [{ type: 'array' }, reference] }, ...listOf(one) };
}

/** Text that stands for a value: `$.field`, `${env.NAME}`. */
const reference = { type: 'string', pattern: '^\\$\\.|\\$\\{' };

/** The days of a calendar, and a day after another parameter's. */
const days = {
  properties: {
    days: { description: 'The first and the last day of a calendar. With after: how many days later.', type: ['string', 'integer'] },
    every: { description: "How far one day is from the next: '1d', '1w'. Left out: 1d.", type: 'string', pattern: '^[1-9][0-9]*[dw]$' },
    after: { description: 'The parameter whose day it comes after.', type: 'string' },
  },
  required: ['days'],
  additionalProperties: false,
};

function several(one: { readonly type: string | readonly string[]; readonly examples?: readonly string[] }): object {
  return { ...one, type: [one.type, 'array'].flat(), ...listOf(one) };
}

function listOf(one: object): object {
  return { minItems: 1, items: one };
}

interface Schema {
  readonly $defs?: object;
  readonly properties: {
    readonly stages: { readonly additionalProperties: { properties: { [key: string]: object }; allOf?: readonly object[] } };
  };
}
