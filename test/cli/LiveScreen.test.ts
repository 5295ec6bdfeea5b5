import { describe, expect, it } from 'vitest';
import { LiveScreen } from '../../src/cli/watchRun.ts';
import { TinyTerminal } from './TinyTerminal.ts';

describe('LiveScreen', () => {
  it('draws each frame over the previous one, longer or shorter', () => {
    const terminal = new TinyTerminal(40);
    terminal.write('$ trawler run\n');
    const screen = new LiveScreen(terminal);
    screen.draw(['a long first line', 'two', 'three']);
    screen.draw(['short', 'two']);
    expect(terminal.screen).toEqual(['$ trawler run', 'short', 'two']);
    screen.draw(['one', 'two', 'three', 'four']);
    expect(terminal.screen).toEqual(['$ trawler run', 'one', 'two', 'three', 'four']);
    screen.close();
  });

  it('takes 80 columns where the terminal says it has none, as in some containers', () => {
    const terminal = new TinyTerminal(40);
    terminal.columns = 0;
    const screen = new LiveScreen(terminal);
    screen.draw(['one', 'two']);
    screen.draw(['ONE', 'TWO']);
    expect(terminal.frames.at(-1)).toContain('\u001b[2A');
    screen.close();
  });

  it('keeps text that is written above it', () => {
    const terminal = new TinyTerminal(40);
    const screen = new LiveScreen(terminal);
    screen.above('before');
    screen.draw(['one', 'two']);
    screen.above('a notice');
    screen.draw(['ONE', 'TWO']);
    screen.close();
    expect(terminal.screen).toEqual(['before', 'a notice', 'ONE', 'TWO']);
  });

  it('redraws lines that a narrower window has wrapped', () => {
    const terminal = new TinyTerminal(8);
    const screen = new LiveScreen(terminal);
    screen.draw(['0123456789', 'b']); // as a window that became narrower shows it
    expect(terminal.screen).toEqual(['01234567', '89', 'b']);
    screen.draw(['c', 'd']);
    expect(terminal.screen).toEqual(['c', 'd']);
    screen.close();
  });

  it('never shows an empty screen between frames: each is one write, and no line is cleared before it is written', () => {
    const terminal = new TinyTerminal(40);
    const screen = new LiveScreen(terminal);
    screen.draw(['one', 'two']);
    const before = terminal.frames.length;
    screen.draw(['one', 'TWO']);
    expect(terminal.frames.length).toBe(before + 1);
    expect(terminal.frames.at(-1)).toBe('\u001b[?2026h\u001b[2A\rone\u001b[K\nTWO\u001b[K\n\u001b[J\u001b[?2026l');
    screen.close();
  });

  it('shows the cursor again, also when the process ends early', () => {
    const terminal = new TinyTerminal(40);
    const listeners = process.listenerCount('exit');
    const screen = new LiveScreen(terminal);
    expect([terminal.cursorHidden, process.listenerCount('exit')]).toEqual([true, listeners + 1]);
    screen.close();
    expect([terminal.cursorHidden, process.listenerCount('exit')]).toEqual([false, listeners]);
  });
});
