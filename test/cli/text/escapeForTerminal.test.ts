import { describe, expect, it } from 'vitest';
import { escapeForTerminal, printedJson } from '../../../src/cli/text/escapeForTerminal.ts';

describe('escapeForTerminal', () => {
  it('escapes all control and bidirectional characters', () => {
    expect(escapeForTerminal('a\u001b[2Jb\u0007\u009b1m\u007f')).toBe('a\\u001b[2Jb\\u0007\\u009b1m\\u007f');
    expect(escapeForTerminal('\u202eabc\u2066\u200f')).toBe('\\u202eabc\\u2066\\u200f');
    expect(escapeForTerminal('one\ntwo\tthree\r')).toBe('one\\ntwo\\tthree\\u000d');
    expect(escapeForTerminal('\ud800')).toBe('\\ud800');
  });

  it('leaves no control character in any text', () => {
    const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('');
    expect(escapeForTerminal(all)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  });

  it('leaves letters, emoji and joined emoji alone', () => {
    const text = 'Zoë 東京 👩‍💻 é';
    expect(escapeForTerminal(text)).toBe(text);
  });
});

describe('printedJson', () => {
  it("doesn't change the meaning of JSON", () => {
    const value = { text: 'a\u001b[2J\u009b\u202e\n\t\u2028\ud800 👍', list: [1, null] };
    const json = printedJson(value, 2);
    expect(JSON.parse(json)).toEqual(value);
    expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  });
});
