import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { type Paint, plain } from './text/paintFor.ts';
import { fitText, padText, textWidth } from './text/textWidth.ts';

/** A table whose columns were chosen by its first rows, so that further rows can be printed as they come. */
export interface RowTable {
  readonly heading: string;
  readonly line: (row: unknown) => string;
  /** Fields without a column, because the terminal is too narrow. */
  readonly hidden: number;
}

const maxWidth = 36;
const minWidth = 6;
const maxUnbroken = 24; // a longer value without a space is an id or a URL, which people don't read
const ofMachines = /(^|[_.])(c?id|token|url|link|thumbnail|latitude|longitude)$/;

/** Chooses as many columns as fit: those that a person reads first, then ids and addresses; empty ones never. */
export function tableOfRows(rows: readonly unknown[], width: number): RowTable {
  const flat = rows.map((row) => flatten(row));
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  const used = names.filter((name) => flat.some((row) => cell(row.get(name)) !== ''));
  const columns = used.map((name, order) => {
    const texts = flat.map((row) => cell(row.get(name)));
    return {
      name,
      order,
      width: Math.max(minWidth, Math.min(maxWidth, Math.max(textWidth(name), ...texts.map(textWidth)))),
      right: flat.every((row) => typeof (row.get(name) ?? 0) === 'number'),
      readable:
        !ofMachines.test(name) && texts.filter((text) => text.length > maxUnbroken && !text.includes(' ')).length * 2 < texts.length,
    };
  });
  let left = width;
  const chosen = [...columns.filter(({ readable }) => readable), ...columns.filter(({ readable }) => !readable)].filter((column, index) => {
    if (index > 0 && column.width + 2 > left) return false;
    left -= column.width + 2;
    return true;
  });
  chosen.sort((one, other) => one.order - other.order);
  const render = (text: (column: (typeof chosen)[number]) => string): string =>
    chosen
      .map((column) => padText(text(column), Math.min(column.width, width), column.right ? 'right' : 'left'))
      .join('  ')
      .trimEnd();
  return {
    heading: render(({ name }) => escapeForTerminal(name)),
    line: (row) => {
      const values = flatten(row);
      return render(({ name }) => cell(values.get(name)));
    },
    hidden: used.length - chosen.length,
  };
}

/** One row as a table of two columns: its fields, and their values. */
export function tableOfFields(row: unknown, width: number, paint: Paint = plain): string {
  const fields = [...flatten(row)]
    .map(([name, value]) => [escapeForTerminal(name), cell(value)] as const)
    .filter(([, text]) => text !== '');
  const nameWidth = Math.min(maxWidth, Math.max(0, ...fields.map(([name]) => textWidth(name))));
  return fields
    .map(([name, text]) => `${paint.bold(padText(name, nameWidth))}  ${fitText(text, Math.max(minWidth, width - nameWidth - 2))}`)
    .join('\n');
}

/** The fields of a row and of the objects in it, as `user.name`. */
function flatten(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map([[path === '' ? 'value' : path, value]]);
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...flatten(inner, path === '' ? name : `${path}.${name}`)]));
}

function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : `${value.length} ${value.length === 1 ? 'item' : 'items'}`;
  return escapeForTerminal(typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value));
}
