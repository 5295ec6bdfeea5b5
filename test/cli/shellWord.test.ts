import { describe, expect, it } from 'vitest';
import { shellWord } from '../../src/cli/typedProgram.ts';

describe('shellWord', () => {
  it.each([
    ['linux', 'out/a-b.json', 'out/a-b.json'],
    ['linux', "it's here", `'it'\\''s here'`],
    ['linux', 'C:\\crawls', `'C:\\crawls'`],
    ['win32', 'C:\\crawls\\a.json', 'C:\\crawls\\a.json'],
    ['win32', 'C:\\my crawls\\a.json', '"C:\\my crawls\\a.json"'],
    ['win32', "it's", `"it's"`],
    ['win32', '%PATH%', '"%PATH%"'],
  ])('on %s, %j is typed as %s', (platform, word, typed) => {
    expect(shellWord(word, platform)).toBe(typed);
  });
});
