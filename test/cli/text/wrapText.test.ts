import { describe, expect, it } from 'vitest';
import { renderTable } from '../../../src/cli/text/renderTable.ts';
import { wrapText } from '../../../src/cli/text/textWidth.ts';

describe('wrapText', () => {
  it('breaks between words, and indents all lines but the first', () => {
    expect(wrapText('one two three', 7, '  ')).toBe('one two\n  three');
    expect(wrapText('overlong', 3)).toBe('overlong');
    expect(wrapText('a\nb', 10)).toBe('a\nb');
  });

  it('keeps a number with what it counts', () => {
    expect(wrapText('6 requests, 40 × 503, 6 × 400', 16)).toBe('6 requests,\n40 × 503,\n6 × 400');
  });
});

describe('renderTable', () => {
  it('makes columns as wide as their content, aligns numbers right, and escapes control characters', () => {
    expect(
      renderTable([
        ['FILE', 'ROWS'],
        ['a.csv', 12_345],
        ['東\u001b.csv', 1],
      ]),
    ).toBe(['FILE            ROWS', 'a.csv         12,345', '東\\u001b.csv       1'].join('\n'));
  });

  it('wraps the last column where the terminal ends', () => {
    const table = renderTable([['a', 'one two three four five six']], { columns: 20 });
    expect(table).toBe('a  one two three four five\n   six');
    expect(renderTable([['a', 'one two three four five six']])).not.toContain('\n');
  });
});
