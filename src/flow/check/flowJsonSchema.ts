import { z } from 'zod';
import { type JsonSchema, type Operation, type Service } from '../../contract/index.ts';
import { serviceOf } from '../definition/serviceOf.ts';
import { flowFormat } from '../definition/flowFormat.ts';

/** The JSON Schema of a flow over a service, with the operations and their parameters, so that editors complete and check it. */
export function flowJsonSchema(given?: Service): JsonSchema {
  const { operations, fanOuts } = serviceOf({}, given);
  const schema = z.toJSONSchema(flowFormat, { target: 'draft-2020-12' }) as unknown as Schema;
  const stage = schema.properties.stages.additionalProperties;
  const names = Object.values(operations).map((operation) => ({ const: operation.name, description: operation.spec.about }));
  const ready = Object.entries(fanOuts).map(([name, fanOut]) => ({ const: name, description: `A ready fan-out: ${fanOut.about}.` }));
  stage.properties['call'] = { description: 'An operation, or a ready fan-out.', oneOf: [...names, ...ready] };
  stage.allOf = [
    ...Object.values(operations).map((operation) => whenCalled(operation.name, operation, [])),
    ...Object.entries(fanOuts).map(([name, fanOut]) => whenCalled(name, operations[fanOut.call]!, Object.keys(fanOut.with))),
  ];
  return {
    ...schema,
    title: 'A trawler flow',
    $defs: { string: several('string'), integer: several('integer'), boolean: several('boolean') },
  };
}

/** What `with` holds when this is called; `filled` needn't be given. */
function whenCalled(call: string, operation: Operation, filled: readonly string[]): object {
  const params = Object.entries(operation.params);
  const required = params.filter(([name, param]) => param.required === true && !filled.includes(name)).map(([name]) => name);
  const properties = Object.fromEntries(
    params.map(([name, { type, about, oneOf, known }]) => [name, valuesOf(type, about, oneOf ?? known, oneOf !== undefined)]),
  );
  const query = { properties, additionalProperties: false, ...(required.length === 0 ? {} : { required }) };
  return {
    if: { properties: { call: { const: call } }, required: ['call'] },
    // oxlint-disable-next-line unicorn/no-thenable -- that is what JSON Schema calls it
    then: { properties: { with: query }, ...(required.length === 0 ? {} : { required: ['with'] }) },
  };
}

/** What a parameter may be given. */
function valuesOf(type: 'string' | 'integer' | 'boolean', about: string, names: readonly string[] | undefined, only: boolean): object {
  if (names === undefined) return { description: about, $ref: `#/$defs/${type}` };
  return { description: about, ...several(type, { anyOf: [{ enum: names }, only ? reference : { type: 'string' }] }) };
}

/** Text that stands for a value: `$.field`, `${env.NAME}`. */
const reference = { type: 'string', pattern: '^\\$\\.|\\$\\{' };

/** One value or a list of them. */
function several(
  type: 'string' | 'integer' | 'boolean',
  one: object = type === 'string' ? { type } : { anyOf: [{ type }, reference] },
): object {
  return { anyOf: [one, { type: 'array', minItems: 1, items: one }] };
}

interface Schema {
  readonly $defs?: object;
  readonly properties: {
    readonly stages: { readonly additionalProperties: { properties: { [key: string]: object }; allOf?: readonly object[] } };
  };
}
