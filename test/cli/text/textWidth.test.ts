import { describe, expect, it } from 'vitest';
import { fitText, padText, textWidth } from '../../../src/cli/text/textWidth.ts';

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Zoë', 3],
    ['e\u0301', 1],
    ['東京', 4],
    ['한국', 4],
    ['👍', 2],
    ['👩‍💻', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['█░…×', 4],
    ['ｆｕ', 4],
    ['\u001b[31mred\u001b[39m', 3],
  ])('of %s is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('fitText', () => {
  it('cuts a text that is too long between visible characters', () => {
    expect(fitText('coffee', 6)).toBe('coffee');
    expect(fitText('coffee', 5)).toBe('coff…');
    expect(fitText('東京都', 4)).toBe('東…');
    expect(fitText('👩‍💻👩‍💻', 3)).toBe('👩‍💻…');
    expect(fitText('coffee', 0)).toBe('');
  });

  it('leaves no colour on', () => {
    expect(fitText('\u001b[31mcoffee\u001b[39m', 4)).toBe('\u001b[31mcof…\u001b[39m');
    expect(fitText('\u001b[31mco\u001b[39m and tea', 4)).toBe('\u001b[31mco\u001b[39m…');
  });
});

describe('padText', () => {
  it('gives exactly the width, on either side', () => {
    expect(padText('東', 4)).toBe('東  ');
    expect(padText('7', 3, 'right')).toBe('  7');
    expect(padText('coffee', 3)).toBe('co…');
  });
});
