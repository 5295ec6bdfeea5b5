let segmenter: Intl.Segmenter | undefined;
const wideRanges =
  '\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f' +
  '\\uff01-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1f64f}\\u{1f900}-\\u{1f9ff}\\u{20000}-\\u{3fffd}';
const wide = new RegExp(`^(?:\\p{Emoji_Presentation}|.\\ufe0f|[${wideRanges}])`, 'u');
const narrow = /^[\u0020-\u007e\u00a0-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*$/;

// oxlint-disable-next-line no-control-regex -- the colours that `paintFor` gives
const colour = /(\u001b\[\d+m)/;

/** The number of terminal columns of a text. Colours take none. It must not contain other control characters. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const part of text.split(colour)) {
    if (narrow.test(part)) width += part.length;
    else if (!colour.test(part)) for (const { segment } of graphemesOf(part)) width += graphemeWidth(segment);
  }
  return width;
}

/** The text, cut to fit with `…` at the end. All its colour codes are kept, so that no colour stays on. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let width = 0;
  const kept: string[] = [];
  let after = '';
  for (const part of text.split(colour)) {
    if (colour.test(part)) {
      if (width < columns) kept.push(part);
      else after += part;
      continue;
    }
    for (const { segment } of graphemesOf(part)) {
      width += graphemeWidth(segment);
      if (width > columns - 1) {
        width = columns;
        break;
      }
      kept.push(segment);
    }
  }
  return `${kept.join('').trimEnd()}…${after}`;
}

/** The text, padded with spaces to `columns`, or cut if it is longer. */
export function padText(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const fitted = fitText(text, columns);
  const spaces = ' '.repeat(Math.max(0, columns - textWidth(fitted)));
  return side === 'left' ? fitted + spaces : spaces + fitted;
}

/** Making a segmenter takes 10 ms, and most texts don't need one. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function graphemeWidth(grapheme: string): number {
  if (/^[\p{Mark}\p{Cf}]+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Wraps each line of a text between words. A line keeps its indent. On what is no terminal, nothing is wrapped. */
export function wrapLines(
  text: string,
  { isTTY, columns = 80 }: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined },
): string {
  if (isTTY !== true) return text;
  const lines = text.split('\n').map((line) => {
    const [indent] = /^ */.exec(line)!;
    return indent + wrapText(line.slice(indent.length), (columns || 80) - indent.length, indent);
  });
  return lines.join('\n');
}

/**
 * Wraps text between words to lines of at most `columns`, if its words allow it. `40 × 503` is one word. All lines but the first begin
 * with `indent`.
 */
export function wrapText(text: string, columns: number, indent = ''): string {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(/(?<!×) (?!×)/)) {
      if (line !== '' && textWidth(line) + 1 + textWidth(word) > columns) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.join(`\n${indent}`);
}
