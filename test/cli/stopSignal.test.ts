import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { OutputError } from '../../src/cli/Command.ts';
import { stopSignal } from '../../src/cli/stopSignal.ts';

describe('stopSignal', () => {
  const listen = () => {
    const [signals, stdout, stderr] = [new EventEmitter(), new EventEmitter(), new EventEmitter()];
    const exits: number[] = [];
    return { signals, stdout, stderr, exits, signal: stopSignal(signals, stdout, stderr, (code) => exits.push(code)) };
  };

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGBREAK', 128 + (constants.signals.SIGBREAK ?? 2)], // Ctrl-Break, on Windows only
  ])('aborts at the first %s and exits at the second with %i', (name, code) => {
    const { signals, exits, signal } = listen();
    expect(signal.aborted).toBe(false);
    signals.emit(name);
    expect([signal.reason, exits]).toEqual([name, []]);
    signals.emit(name);
    expect(exits).toEqual([code]);
  });

  it('stops when the reader of stdout is gone, but not when that of stderr is', () => {
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const { stdout, stderr, signal } = listen();
    stderr.emit('error', broken);
    for (const code of ['ENOSPC', 'EIO']) stderr.emit('error', Object.assign(new Error(code), { code }));
    expect(signal.aborted).toBe(false);
    stdout.emit('error', broken);
    expect(signal.reason).toBe('EPIPE');
  });

  it("stops when stdout can't be written, and keeps the reason", () => {
    const { stdout, signal } = listen();
    stdout.emit('error', Object.assign(new Error('ENOSPC: no space left on device, write'), { errno: -constants.errno.ENOSPC }));
    expect(signal.reason).toEqual(new OutputError('no space left on device'));
    const other = listen();
    other.stdout.emit('error', new Error('lost'));
    expect(other.signal.reason).toEqual(new OutputError('lost'));
  });
});
