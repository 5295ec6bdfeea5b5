import { describe, expect, it } from 'vitest';
import { describeError } from '../../src/cli/describeError.ts';
import { UsageError } from '../../src/cli/Command.ts';
import { FlowError, HttpError, SinkError } from '../../src/errors/index.ts';
import { Kept } from './runInProcess.ts';

const io = { env: {}, stderr: new Kept() };

describe('describeError', () => {
  it('says what happened and what to do, without a stack', async () => {
    expect(await describeError(new UsageError('No.', { hint: 'Try yes.' }), io)).toBe('trawler: No.\n  Try yes.\n');
    expect(await describeError(new HttpError('webSearch: HTTP 404'), io)).toBe('trawler: webSearch: HTTP 404\n');
  });

  it('adds the cause where the message does not have it', async () => {
    expect(await describeError(new HttpError('it failed', { cause: new Error('reset') }), io)).toBe('trawler: it failed (reset)\n');
    expect(await describeError(new HttpError('it failed: reset', { cause: new Error('reset') }), io)).toBe('trawler: it failed: reset\n');
  });

  it('says a reason of the system once', async () => {
    const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const full = 'a.csv: writing failed: the disk is full (ENOSPC)';
    expect(await describeError(new SinkError(full, { cause }), io)).toBe(`trawler: ${full}\n`);
  });

  it('adds only the first line of the cause: what follows is for those who debug', async () => {
    const cause = new Error("Cannot find module 'x'\nRequire stack:\n- /a/b.js");
    expect(await describeError(new SinkError('npm install x', { cause }), io)).toBe("trawler: npm install x (Cannot find module 'x')\n");
  });

  it('shows the stack with TRAWLER_DEBUG, and for an unexpected error says how to get it', async () => {
    const slip = new TypeError('x is not a function');
    expect(await describeError(slip, io)).toBe('trawler: TypeError: x is not a function\n  Set TRAWLER_DEBUG=1 to see the stack trace.\n');
    expect(await describeError(slip, { ...io, env: { TRAWLER_DEBUG: '1' } })).toContain('describeError.test.ts');
  });

  it("names flags instead of the library's options", async () => {
    const taken = new SinkError('a.csv is there already; choose another path, or say overwrite: true, or append: true');
    expect(await describeError(taken, io)).toBe('trawler: a.csv is there already; choose another path, or add --overwrite\n');
    const other = new FlowError('out belongs to another flow. Choose another folder, or start over with fresh, which moves its files');
    expect(await describeError(other, io)).toContain('or start over with --fresh, which');
  });

  it('says how many open files it needs, where there are too few', async () => {
    const few = Object.assign(new Error("EMFILE: too many open files, open 'x.js'"), { code: 'EMFILE' });
    const words = 'The system lets this process open too few files (EMFILE).\n  It needs 256 at least: ulimit -n 256\n';
    expect(await describeError(few, io)).toBe(`trawler: ${words}`);
    expect(await describeError(new SinkError('a.csv: writing failed', { cause: few }), io)).toBe(`trawler: ${words}`);
  });

  it('leaves the keys of a flow as they are', async () => {
    const fault = new FlowError(
      "flow has 2 faults; no request was sent\n  3:5 maxRequests: 0 can't stand here\n  did you mean 'maxRequests'?",
    );
    expect(await describeError(fault, io)).toBe(`trawler: ${fault.message}\n`);
    expect(await describeError(new HttpError('raise maxRequests to continue'), io)).toBe('trawler: raise --max-requests to continue\n');
  });

  it('breaks lines between words on a terminal, and keeps indents', async () => {
    const terminal = { env: { NO_COLOR: '1' }, stderr: new Kept({ columns: 30, rows: 9 }) };
    const error = new UsageError('There is no such file in this folder.', { hint: 'Write the name of one that is there.' });
    expect(await describeError(error, terminal)).toBe(
      'trawler: There is no such file\nin this folder.\n  Write the name of one that\n  is there.\n',
    );
  });

  it('is red where there are colours', async () => {
    expect(await describeError(new HttpError('no'), { ...io, env: { FORCE_COLOR: '1' } })).toBe('\u001b[31mtrawler:\u001b[39m no\n');
  });

  it('spells out control characters, and keeps the lines of a list', async () => {
    expect(await describeError(new HttpError('one\n  two \u001b[2J'), io)).toBe('trawler: one\n  two \\u001b[2J\n');
    expect(await describeError('\u0007', io)).toBe('trawler: \\u0007\n');
  });
});
