import { open } from 'node:fs/promises';
import Papa from 'papaparse';
import { cells, columns, rowAt } from '../rows.mjs';

/** papaparse has no stream for writing: chunks of 1,000 rows. */
export default async function papaparse({ rows, out }) {
  const file = await open(out, 'w');
  await file.write(`${columns.join(',')}\n`);
  for (let i = 0; i < rows; i += 1000) {
    const chunk = Array.from({ length: Math.min(1000, rows - i) }, (_, k) => cells(rowAt(i + k)));
    await file.write(`${Papa.unparse(chunk, { newline: '\n' })}\n`);
  }
  await file.close();
  return rows;
}
