import { describe, expect, it } from 'vitest';
import { isScreen, paintFor } from '../../../src/cli/text/paintFor.ts';
import { Kept } from '../runInProcess.ts';

describe('paintFor', () => {
  const terminal = new Kept({ columns: 80, rows: 24 });
  const file = new Kept();

  it.each([
    [terminal, {}, true],
    [file, {}, false],
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { NO_COLOR: '' }, true],
    [terminal, { TERM: 'dumb' }, false],
    [file, { FORCE_COLOR: '1' }, true],
    [file, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [terminal, { FORCE_COLOR: '0' }, false],
  ])('colours on a terminal, unless the environment says otherwise', (output, env, coloured) => {
    expect(paintFor(output, env).red('x')).toBe(coloured ? '\u001b[31mx\u001b[39m' : 'x');
  });

  it('adds no colour to an empty text', () => {
    expect(paintFor(terminal, {}).red('')).toBe('');
  });
});

describe('isScreen', () => {
  it('is a terminal on which written lines can be changed', () => {
    const terminal = new Kept({ columns: 80, rows: 24 });
    expect(isScreen(terminal, { TERM: 'xterm' })).toBe(true);
    expect(isScreen(terminal, { TERM: 'dumb' })).toBe(false);
    expect(isScreen(new Kept(), { TERM: 'xterm' })).toBe(false);
  });
});
