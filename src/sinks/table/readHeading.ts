/** The cells of the first line of a CSV text. */
export function readHeading(text: string, delimiter: string, quote: string = '"'): readonly string[] {
  const cells: string[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    if (text[at] === quote) {
      let end = text.indexOf(quote, at + 1);
      while (end >= 0 && text[end + 1] === quote) end = text.indexOf(quote, end + 2);
      if (end < 0) end = text.length;
      cells.push(text.slice(at + 1, end).replaceAll(quote + quote, quote));
      at = end + 1;
      while (text[at] === ' ') at += 1; // "a" ,b
    } else {
      let end = at;
      while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1;
      cells.push(text.slice(at, end));
      at = end;
    }
    if (text[at] !== delimiter) return cells;
    at += 1;
  }
}
