import type { SqlRows, TableInfo } from '../api.ts';
import { address, go, hrefWith, runParams } from './address.ts';
import { exampleSql } from '../data/exampleSql.ts';
import { h, scrollTable, setText } from './dom.ts';
import { get } from './server.ts';
import { readText, showError } from './words.ts';
import { cellText } from './cellText.ts';

/** A box to write SQL, which can only read. The query becomes a part of the address. */
export function sqlBox(): { readonly element: HTMLElement; readonly show: (table: TableInfo) => void } {
  const text = h('textarea', { 'aria-label': 'SQL', rows: 4, spellcheck: 'false', keydown: (event) => {
    const { key, ctrlKey, metaKey } = event as KeyboardEvent;
    if (key === 'Enter' && (ctrlKey || metaKey)) run();
  } }); // prettier-ignore
  const about = h('p', { class: 'mute' });
  const answer = h('div', { class: 'answer' });
  const run = (): void => go(hrefWith({ sql: text.value }));
  const form = h('form', { submit: (event) => (event.preventDefault(), run()) }, text, h('button', {}, 'Run'));
  const element = h('details', { class: 'sql' }, h('summary', {}, 'SQL'), about, form, answer);
  let shown = '';
  return {
    element,
    show({ file, sqlName, columns }) {
      setText(about, `A SELECT over the table ${sqlName}, in the words of DuckDB. It changes nothing, and may take 20 seconds.`);
      const sql = address().params.get('sql') ?? '';
      const key = `${file}\n${sql}`;
      if (key === shown) return;
      shown = key;
      text.value = sql === '' ? exampleSql(sqlName, columns[0]?.name) : sql;
      answer.replaceChildren();
      if (sql === '') return;
      element.open = true;
      const waiting = h('p', { class: 'mute', role: 'status' });
      answer.append(waiting);
      get<SqlRows>('query', runParams({ file, sql }), (read) => setText(waiting, readText(read)))
        .then((found) => key === shown && answer.replaceChildren(...tableOf(found)))
        .catch((error: unknown) => key === shown && (answer.replaceChildren(), showError(answer, error)));
    },
  };
}

function tableOf({ columns, rows, more }: SqlRows): readonly HTMLElement[] {
  if (rows.length === 0) return [h('p', { class: 'mute' }, 'No rows.')];
  const lines = rows.map((row) =>
    h('tr', {}, ...row.map((cell, at) => h('td', {}, cell !== null && cell !== '' && cellText(columns[at]!, cell)))),
  );
  return [
    scrollTable('What the query gives', columns, Infinity, lines),
    ...(more ? [h('p', { class: 'mute' }, `There are more than these ${rows.length} rows.`)] : []),
  ];
}
