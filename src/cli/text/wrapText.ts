import { textWidth } from './textWidth.ts';

/**
 * Wraps text between words to lines of at most `columns`, if its words allow it. All lines but the first begin with
 * `indent`.
 */
export function wrapText(text: string, columns: number, indent = ''): string {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && textWidth(line) + 1 + textWidth(word) > columns) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.join(`\n${indent}`);
}
