import type { Operation, OperationDescription } from '../../contract/index.ts';
import { chooseService, findOperation, serviceOption } from '../chooseService.ts';
import { type Command, ExitCode, UsageError, writeOut } from '../Command.ts';
import { parseOptions } from '../parseOptions.ts';
import { printedJson } from '../text/escapeForTerminal.ts';
import { renderTable } from '../text/renderTable.ts';
import { wrapText } from '../text/textWidth.ts';

const options = {
  json: { type: 'boolean', about: 'print JSON' },
  ...serviceOption,
} as const;

export const listOperations: Command = {
  name: 'operations',
  overview: [7, 'list the operations and their parameters'],
  usage: '[NAME] [options]',
  about:
    'Lists the operations. With a NAME, shows its parameters with types, defaults and rules, the lists that rows can come from, and ' +
    'how it pages.',
  options,
  examples: [
    ['trawler operations', 'all of them, as a table'],
    ["trawler operations --json | jq -r '.[].name'", 'only their names'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler operations');
    const { describeOperation } = await import('../../contract/index.ts');
    const service = await chooseService(values.service);
    if (positionals.length > 1) throw new UsageError(`One operation at a time, not ${positionals.length}.`);
    const print = async (value: unknown): Promise<number> => {
      await writeOut(io.stdout, typeof value === 'string' ? `${value}\n` : printedJson(value, 2));
      return ExitCode.done;
    };
    const [name] = positionals;
    const chosen: readonly Operation[] = name === undefined ? Object.values(service.operations) : [await findOperation(service, name)];
    const descriptions = chosen.map(describeOperation);
    if (values.json === true) return print(name === undefined ? descriptions : descriptions[0]);
    if (chosen.length === 0) return print(`${(await import('../../services/index.ts')).onlyProxied(service)}.`);
    return print(
      name === undefined
        ? overview(descriptions, io.stdout.columns)
        : describeText(descriptions[0] as OperationDescription, io.stdout.columns),
    );
  },
};

function overview(descriptions: readonly OperationDescription[], columns: number | undefined): string {
  const rows = descriptions.map(({ name, path, lists, about }) => [
    name,
    path,
    lists.find((list) => list.default)?.path || '(the response)',
    about,
  ]);
  return renderTable([['NAME', 'PATH', 'ROWS', 'ABOUT'], ...rows], { columns });
}

/** Describes an operation: parameters, response, paging, how to call it. */
export function describeText(
  { name, title, group, method, path, about, params, rules, lists, paging }: OperationDescription,
  columns?: number,
): string {
  const paramRows = params.map(({ name, type, required, default: fallback, allowed, about, from, sentAs }) => [
    `  ${name}`,
    required ? `${type}, required` : type,
    fallback === undefined || fallback === '' ? '' : String(fallback),
    [about, from === '' ? '' : `from ${from}`, allowed, sentAs === '' ? '' : `sent as ${sentAs}`].filter((text) => text !== '').join('; '),
  ]);
  const whole = lists.some((list) => list.default) ? [] : [['  (the response)', 'default', 'one row']];
  const listRows = lists.map((list) => [
    `  ${list.path === '' ? '(the response)' : list.path}`,
    list.default ? 'default' : '',
    columnsInShort(list.columns),
  ]);
  const sections = [
    `${name}${title === name ? '' : `: ${title}`}${group === '' ? '' : ` (${group})`}\n${wrapText(about, 80)}\n${method} ${path}`,
    `Parameters\n${renderTable([['  NAME', 'TYPE', 'DEFAULT', 'MEANING'], ...paramRows], { columns })}`,
    ...(rules.length === 0 ? [] : [`Rules\n${rules.map((rule) => `  ${wrapText(rule, 78, '    ')}`).join('\n')}`]),
    `Rows\n${renderTable([['  LIST', '', 'FIELDS'], ...whole, ...listRows], { columns })}`,
    `Paging\n  ${wrapText(paging === '' ? 'a response is one page' : paging, 78, '  ')}`,
  ];
  return sections.join('\n\n');
}

function columnsInShort(columns: readonly string[]): string {
  if (columns.length === 0) return 'fields not documented';
  const limit = 6;
  return columns.length <= limit ? columns.join(', ') : `${columns.slice(0, limit).join(', ')} and ${columns.length - limit} more`;
}
