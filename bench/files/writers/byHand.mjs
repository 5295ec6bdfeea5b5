import { open } from 'node:fs/promises';
import { cells, columns, rowAt } from '../rows.mjs';

const cell = (value) => (value === undefined || value === null ? '""' : `"${String(value).replaceAll('"', '""')}"`);

/** One loop, big chunks, nothing else. */
export default async function byHand({ rows, out, format }) {
  const file = await open(out, 'w');
  let text = format === 'csv' ? `${columns.join(',')}\n` : '';
  for (let i = 0; i < rows; i += 1) {
    const row = rowAt(i);
    text += format === 'csv' ? `${cells(row).map(cell).join(',')}\n` : `${JSON.stringify(row)}\n`;
    if (text.length > 262_144) {
      await file.write(text);
      text = '';
    }
  }
  await file.write(text);
  await file.sync();
  await file.close();
  return rows;
}
