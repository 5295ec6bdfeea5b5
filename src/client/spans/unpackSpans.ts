import type { PackedSpans } from './packSpans.ts';
import type { RowSpans } from './RowScanner.ts';
import { SentRow } from './SentRow.ts';

const [lineFeed, comma, open, close] = [10, 44, 123, 125];

/** The rows that another process packed. Throws if the bytes can't be these rows. */
export function unpackSpans({ names, places, issues, mark }: PackedSpans, bytes: Buffer): RowSpans {
  const rows: SentRow[] = [];
  const step = 1 + 2 * names.length;
  let start = 0;
  for (let at = 0; at < places.length; at += step) {
    const end = start + places[at]!;
    const isRow = bytes[start] === open && bytes[end - 1] === close && (at === 0 || bytes[start - 1] === comma);
    if (!isRow || places.length < at + step) throw new TypeError('its rows are not where it says');
    rows.push(new SentRow(bytes.subarray(start, end), names, places, at + 1));
    start = end + 1;
  }
  if (start !== (rows.length === 0 ? 0 : bytes.length + 1) || bytes.includes(lineFeed))
    throw new TypeError('its rows are not what it says');
  return { rows, issues, mark };
}
