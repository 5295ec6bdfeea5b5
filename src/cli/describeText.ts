import type { OperationDescription } from '../contract/index.ts';
import { renderTable } from './text/renderTable.ts';
import { wrapText } from './text/textWidth.ts';

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
