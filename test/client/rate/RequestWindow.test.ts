import { describe, expect, it } from 'vitest';
import { RequestWindow, type WindowRefusal } from '../../../src/client/rate/RateBelief.ts';

/** 20 requests at even distances in `ms`, refused at their end. */
function filled(window: RequestWindow, ms: number, more: Partial<WindowRefusal> = {}): WindowRefusal {
  for (let n = 0; n < 20; n++) window.started((n * ms) / 20);
  return { refusedAt: ms, silentMs: 50, toldMs: undefined, usedMs: ms, successes: 20, early: false, ...more };
}

describe('RequestWindow', () => {
  it('takes the whole seconds of the first burst and its silence for the period', () => {
    expect(new RequestWindow(20, 5300).rate).toBe(4);
    expect(new RequestWindow(20, 300).rate).toBe(20);
  });

  it('takes the time of a full number of requests for the period', () => {
    const window = new RequestWindow(20, 2400);
    expect(window.explains(filled(window, 4970))).toBe(true);
    expect(window.rate).toBe(4);
  });

  it('adds the silence if the service counts from the start of a period', () => {
    const window = new RequestWindow(20, 2400);
    expect(window.explains(filled(window, 3500, { silentMs: 1480 }))).toBe(true);
    expect(window.rate).toBe(4);
  });

  it("doesn't explain a refusal after fewer requests, or after far more in the period", () => {
    const few = new RequestWindow(20, 1000);
    for (let n = 0; n < 10; n++) few.started(50 * n);
    expect(few.explains({ ...filled(new RequestWindow(20, 1000), 500), refusedAt: 500 })).toBe(false);
    const many = new RequestWindow(20, 1000);
    expect(many.explains(filled(many, 300, { successes: 100, usedMs: 1500 }))).toBe(false);
  });

  it('knows a period by a share of it only the first time', () => {
    const window = new RequestWindow(20, 1000);
    expect(window.explains(filled(window, 700, { toldMs: 1000, silentMs: 1000 }))).toBe(true);
    expect(window.explains(filled(window, 700, { toldMs: 1000, silentMs: 1000 }))).toBe(false);
  });

  it('makes the period longer if its own rate is refused, and gives up after three times', () => {
    const window = new RequestWindow(20, 1000);
    const early = { early: true, toldMs: 1000, silentMs: 1000 };
    expect(window.explains(filled(window, 1010, early))).toBe(true);
    expect(window.rate).toBe(10);
    for (const explained of [true, true, false]) expect(window.explains(filled(window, 1010, early))).toBe(explained);
  });

  it('takes a refusal after three good periods for a coincidence', () => {
    const window = new RequestWindow(20, 1000);
    expect(window.explains(filled(window, 1010, { early: true, usedMs: 9000, successes: 170 }))).toBe(true);
    expect(window.rate).toBe(20);
  });

  it('needs five requests to be told from other limits', () => {
    const window = new RequestWindow(4, 1000);
    for (let n = 0; n < 8; n++) window.started(250 * n);
    const refusal = { refusedAt: 2000, silentMs: 50, toldMs: undefined, usedMs: 2000, successes: 8, early: false };
    expect(window.explains(refusal)).toBe(false);
  });
});
