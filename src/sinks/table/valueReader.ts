import type { DestinationColumn } from '../destination/RowDestination.ts';
import { RowReader } from './RowReader.ts';
import { Unlisted } from './Unlisted.ts';
import type { ValueFit } from './ValueFit.ts';

/** The column of fields that have no other, so that nothing is lost. */
export const extraColumn: DestinationColumn = {
  header: '_extra',
  keys: [],
  type: 'json',
  about: 'fields that have no column of their own',
};

/** Returns a function that reads a row from a line of JSON: its values in the order of the columns, made to fit if `fit` is given. */
export function valueReader(columns: readonly DestinationColumn[], fit?: ValueFit): (line: string) => readonly unknown[] {
  const extra = columns.findIndex(({ keys, value }) => keys.length === 0 && value === undefined);
  const unlisted = new Unlisted({ extra: true });
  const reader = new RowReader(columns, extra < 0 ? () => undefined : (path, value) => unlisted.add(path, value));
  return (line) => {
    const values = [...reader.read(JSON.parse(line))];
    if (extra >= 0) values[extra] = unlisted.takeExtra();
    return fit === undefined ? values : values.map((value, nth) => fit.fit(value, columns[nth]!.type));
  };
}
