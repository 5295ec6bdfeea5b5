/** The rows of a CSV text with a heading. Cells are texts. Throws if it isn't one, or has none of the fields, as the text of an error. */
export function readCsv(text: string, fields: readonly string[]): readonly object[] {
  const [heading, ...records] = recordsIn(text);
  if (heading === undefined) throw new SyntaxError('it has no heading');
  if (fields.length > 0 && !fields.some((name) => heading.includes(name))) throw new SyntaxError('its heading has no documented field');
  if (new Set(heading).size < heading.length) throw new SyntaxError('two columns have the same name');
  return records.map((cells) => {
    if (cells.length !== heading.length) throw new SyntaxError('a row and the heading have different numbers of cells');
    return Object.fromEntries(heading.map((name, index) => [name, cells[index]]));
  });
}

/** A cell, with or without quotes, and what ends it. */
const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** The records of a CSV text (RFC 4180). Blank lines are left out. */
function recordsIn(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  cell.lastIndex = 0;
  while (cell.lastIndex < text.length || record.length > 0) {
    const match = cell.exec(text);
    if (match === null) throw new SyntaxError('a quote is not closed, or text follows it');
    const [, quoted, plain, end] = match;
    record.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (record.length > 1 || record[0] !== '' || quoted !== undefined) records.push(record);
    record = [];
  }
  return records;
}
