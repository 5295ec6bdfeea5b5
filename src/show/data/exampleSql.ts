import { sqlName } from '../../sinks/load/sqlText.ts';

/** A query to start from: the most frequent values of a column. */
export function exampleSql(table: string, column: string | undefined): string {
  const values = column === undefined ? '*' : sqlName(column);
  return `SELECT ${values}, count(*) AS rows FROM ${sqlName(table)} GROUP BY ALL ORDER BY rows DESC LIMIT 20`;
}
