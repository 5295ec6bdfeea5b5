import type { RowsPart } from '../../../src/show/api.ts';
import type { OpenTable } from '../../../src/show/data/OpenTable.ts';
import type { DuckdbRows } from '../../../src/show/data/DuckdbRows.ts';
import type { TableView } from '../../../src/show/data/TableView.ts';

/** A part of a view, once all of its rows were found. */
export async function wholePart(rows: Pick<DuckdbRows | OpenTable, 'part'>, view: TableView, offset: number): Promise<RowsPart> {
  for (;;) {
    const part = await rows.part(view, offset, 500);
    if ('rows' in part && part.total !== undefined) return part;
  }
}
