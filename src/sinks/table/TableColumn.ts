import { ownValue } from '../../../operators/kit/ownValue.ts';
import { type OriginColumn, originOf } from '../../../operators/rowOrigin.ts';
import { firstOf } from '../../../operators/check/nearestName.ts';
import { nearestName } from '../../../operators/check/nearestName.ts';
import { SinkError } from '../../errors/index.ts';
import type { ColumnChoice, TableOptions } from '../TableOptions.ts';
import { ColumnFinder, type TableColumn } from './ColumnFinder.ts';

export type { TableColumn } from './ColumnFinder.ts';

/** The columns of a table whose first row is `row`: the chosen ones, or those of the row's operation. Otherwise undefined. */
export function knownColumns(options: TableOptions, row: unknown): readonly TableColumn[] | undefined {
  const origin = originOf(row);
  const documented = origin?.columns ?? [];
  if (options.columns !== undefined) {
    if (row !== undefined) for (const choice of options.columns) if (typeof choice === 'string') checkChoice(choice, options.columns, row);
    return readOften(options.columns.map((choice) => chosen(choice, documented, row)));
  }
  if (documented.length === 0) return undefined;
  return documented.map(({ path, keys, type }) => ({ header: path, keys, type }));
}

function chosen(choice: ColumnChoice, documented: readonly OriginColumn[], row: unknown): TableColumn {
  if (typeof choice === 'object' && 'value' in choice) return { header: choice.header, keys: [], value: choice.value, type: undefined };
  const own: Exclude<ColumnChoice, string | { readonly value: unknown }> = typeof choice === 'string' ? { path: choice } : choice;
  const known = documented.find((column) => column.path === own.path);
  return {
    header: own.header ?? own.path,
    keys: own.keys ?? known?.keys ?? keysOf(own.path, row),
    type: own.type ?? known?.type,
  };
}

/** A row is walked once, and gives a value to one column. A field that is chosen again is therefore computed. */
function readOften(columns: readonly TableColumn[]): readonly TableColumn[] {
  const fields = new Set<string>();
  return columns.map((column) => {
    const field = JSON.stringify(column.keys);
    const isFirst = column.value !== undefined || !fields.has(field);
    fields.add(field);
    return isFirst ? column : { ...column, value: (row) => column.keys.reduce<unknown>(ownValue, row) };
  });
}

/** Throws for a path that neither the operation nor the first row has, and says which there are. */
function checkChoice(path: string, choices: readonly ColumnChoice[], row: unknown): void {
  const origin = originOf(row);
  const known = origin?.columns.map((column) => column.path) ?? [];
  if (known.some((name) => name === path || name.startsWith(`${path}.`)) || isThere(row, keysOf(path, row))) return;
  const finder = new ColumnFinder();
  finder.see(row);
  const there = new Set([...known, ...finder.columns().columns.map(({ header }) => header)]);
  const others = [...there].filter(
    (name) => !choices.some((choice) => typeof choice === 'string' && (name === choice || name.startsWith(`${choice}.`))),
  );
  const nearest = nearestName(path, others);
  if (origin === undefined && nearest === undefined) return; // a field of one's own that some rows lack
  const where = origin === undefined ? 'the first row has no such field' : `neither ${origin.operation} nor its first row has that field`;
  const hint =
    nearest === undefined
      ? `there are ${firstOf(others)}; for one that may come later write { path: '${path}' }`
      : `did you mean '${nearest}'?`;
  throw new SinkError(`columns: '${path}': ${where}; ${hint}`);
}

/** A path's steps; a key that holds the dots itself is one step. */
function keysOf(path: string, row: unknown): readonly string[] {
  return isThere(row, [path]) ? [path] : path.split('.');
}

function isThere(row: unknown, keys: readonly string[]): boolean {
  const holder = keys.slice(0, -1).reduce<unknown>(ownValue, row);
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, keys.at(-1)!);
}
