import { describeOperation, type Operation, type Service } from '../../contract/index.ts';
import { flowJsonSchema } from '../../flow/index.ts';
import { withheld } from './faultsOf.ts';
import type { ToolText } from './toolText.ts';

/** A service: its operations and ready fan-outs, a line each. */
export function describeService(service: Service): readonly string[] {
  const operations = Object.values(service.operations).map(describeOperation);
  return [
    'Operations:',
    ...operations.map(
      ({ name, about, lists }) => `  ${name}: ${about} Rows: ${lists.find((list) => list.default)?.path || 'the response'}.`,
    ),
    'Ready fan-outs, as the call of a stage with each:',
    ...Object.entries(service.fanOuts).map(([name, { about, call }]) => `  ${name} (${call}): ${about}`),
  ];
}

/** One operation: its parameters, its lists with all their fields, and how it pages. */
export function describeOne(operation: Operation): ToolText {
  const { name, about, params, rules, lists, paging } = describeOperation(operation);
  const param = ({ name, type, required, default: standard, allowed, about, from }: (typeof params)[number]): string => {
    const notes = [standard === undefined || standard === '' ? '' : `default ${standard}`, about, from && `from ${from}`, allowed];
    return `  ${name}: ${type}${required ? ', required' : ''}. ${notes.filter((note) => note !== '').join('; ')}`;
  };
  return {
    head: [`${name}: ${about}`],
    lines: [
      'Parameters (with):',
      ...params.map(param),
      ...rules.map((rule) => `  ${rule}`),
      'Lists (rows), with the fields of a row:',
      ...lists.map(
        ({ path, default: isOwn, columns }) =>
          `  ${path || 'the response'}${isOwn ? ' (default)' : ''}: ${columns.join(', ') || 'not documented'}`,
      ),
      `Pages: ${paging || 'a response is one page'}`,
    ],
  };
}

/** The keys of a flow and of a stage. */
export function describeFlow(): ToolText {
  const { properties } = flowJsonSchema() as unknown as FlowSchema;
  const keys = (of: Keys): readonly string[] =>
    Object.entries(of).flatMap(([key, { description }]) =>
      description === undefined || key === '$schema' || withheld.includes(key) ? [] : [`  ${key}: ${description}`],
    );
  return {
    head: ['A flow is JSON. Its form, with what is yours in capitals:', JSON.stringify(exampleFlow)],
    lines: ['Keys of a flow:', ...keys(properties), 'Keys of a stage:', ...keys(properties.stages.additionalProperties.properties)],
  };
}

interface Keys {
  readonly [key: string]: { readonly description?: string };
}
interface FlowSchema {
  readonly properties: Keys & { readonly stages: { readonly additionalProperties: { readonly properties: Keys } } };
}

const exampleFlow = {
  name: 'NAME',
  stages: {
    things: { call: 'OPERATION', with: { PARAMETER: ['one', 'another'] }, pages: 2, by: 'FIELD', to: 'things.csv' },
    details: {
      call: 'OPERATION',
      each: 'things',
      with: { PARAMETER: '$.FIELD' },
      keep: { thing: '$.FIELD' },
      pages: 3,
      to: 'details.jsonl',
    },
  },
};
