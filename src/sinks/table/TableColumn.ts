import type { Column } from '../../../operators/rowOrigin.ts';
import { originOf } from '../../../operators/rowOrigin.ts';
import { SinkError } from '../../errors/index.ts';
import type { ColumnChoice, TableOptions } from '../TableOptions.ts';

/** A column of a table, ready for use: found by its keys, or made by `value`. */
export interface TableColumn {
  readonly header: string;
  readonly keys: readonly string[];
  readonly value: ((row: unknown) => unknown) | undefined;
  /** As documented; undefined where nothing is. */
  readonly type: Column['type'] | undefined;
}

/** The columns of a table whose first row is `row`: those that were chosen, else those of the row's operation. */
export function tableColumns(options: TableOptions, row: unknown): readonly TableColumn[] {
  const documented = originOf(row)?.columns;
  if (options.columns !== undefined) return options.columns.map((choice) => chosen(choice, documented));
  if (documented !== undefined && documented.length > 0)
    return documented.map(({ path, keys, type }) => ({ header: path, keys, value: undefined, type }));
  throw new SinkError(
    `the first row doesn't come straight from an operation's documented list, so its columns aren't known; give them: columns: ${exampleOf(row)}`,
  );
}

function chosen(choice: ColumnChoice, documented: readonly Column[] | undefined): TableColumn {
  if (typeof choice === 'object' && 'value' in choice) return { header: choice.header, keys: [], value: choice.value, type: undefined };
  const own: Exclude<ColumnChoice, string | { readonly value: unknown }> = typeof choice === 'string' ? { path: choice } : choice;
  const known = documented?.find((column) => column.path === own.path);
  return {
    header: own.header ?? own.path,
    keys: own.keys ?? known?.keys ?? own.path.split('.'),
    value: undefined,
    type: own.type ?? known?.type,
  };
}

function exampleOf(row: unknown): string {
  const fields = typeof row === 'object' && row !== null ? Object.keys(row).slice(0, 3) : [];
  return `[${(fields.length > 0 ? fields : ['title']).map((field) => JSON.stringify(field)).join(', ')}, …]`;
}
