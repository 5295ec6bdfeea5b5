import { describe, expect, it } from 'vitest';
import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { LimitGroup } from '../../../src/client/admission/LimitGroups.ts';
import { Admission, type AdmissionOptions } from '../../../src/client/admission/Admission.ts';
import type { Refusal, Task } from '../../../src/client/admission/Task.ts';
import { parseRateLimit } from '../../../src/client/attempt/parseRateLimit.ts';
import { FixedPace, type Pace } from '../../../src/client/rate/Pace.ts';
import { unlimited } from '../../../src/client/rate/choosePaces.ts';
import { BudgetError } from '../../../src/errors/index.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';

interface SetOptions extends Partial<AdmissionOptions> {
  readonly pace?: Pace;
  /** The paces of groups with a limit of their own. */
  readonly groups?: readonly Pace[];
}

/** An admission, a log of what it let out, and tasks that write to it. */
function set({ pace = unlimited, groups = [], concurrency = 1, ...options }: SetOptions = {}) {
  const clock = new VirtualClock();
  const log: string[] = [];
  const overBudget: Refusal = (details) => new BudgetError('used up', details);
  const limitGroups = [pace, ...groups].map(
    (of, index) => new LimitGroup({ index, clock, pace: of, readLimit: parseRateLimit, inBody: false, maxPauseMs: 300_000 }),
  );
  const { pause } = limitGroups[0]!;
  const admission = new Admission({ clock, limitGroups, concurrency, maxRequests: Infinity, overBudget, ...options });
  const task = (name: string, node?: DemandNode, of: Partial<Pick<Task, 'limitGroup'>> = {}): Task => ({
    limitGroup: limitGroups[0]!,
    ...of,
    node,
    depth: node?.depth ?? -1,
    order: 0,
    parked: undefined,
    slot: -1,
    inStore: false,
    inFlight: false,
    admit: () => void log.push(name),
    refuse: (refusal) => void log.push(`${name}: ${refusal({ operation: name }).name}`),
  });
  const add = (name: string, node?: DemandNode, of?: Partial<Pick<Task, 'limitGroup'>>): Task => {
    const added = task(name, node, of);
    admission.beforeNext(() => admission.enqueue(added, false));
    return added;
  };
  const finish = (of?: Partial<Pick<Task, 'limitGroup'>>): void => admission.release(task('', undefined, of), () => {});
  const early = (): boolean => admission.releaseEarly(task('', sink));
  return { clock, log, admission, limitGroups, pause, task, add, finish, early };
}

const sink = new DemandNode(undefined);
const middle = new DemandNode(sink);
const far = new DemandNode(middle);

describe('Admission', () => {
  it('sends no more requests than its concurrency', () => {
    const { add, admission, finish, log } = set({ concurrency: 2 });
    for (const name of ['a', 'b', 'c', 'd']) add(name);
    expect(log).toEqual(['a', 'b']);
    expect([admission.inFlight, admission.waiting, admission.sent]).toEqual([2, 2, 2]);
    finish();
    expect(log).toEqual(['a', 'b', 'c']);
  });

  it('sends the request nearest to the sink first, then the oldest', () => {
    const { add, finish, log } = set();
    add('first');
    for (const [name, node] of [
      ['f1', far],
      ['s1', sink],
      ['m1', middle],
      ['f2', far],
      ['s2', sink],
      ['m2', middle],
    ] as const)
      add(name, node);
    add('at the sink itself');
    for (let n = 0; n < 7; n++) finish();
    expect(log).toEqual(['first', 'at the sink itself', 's1', 's2', 'm1', 'm2', 'f1', 'f2']);
  });

  it('sends a farther request first while fewer wait for its page than the others in flight can use up', () => {
    let backlog = 3;
    const above = new DemandNode(sink, undefined, undefined, () => backlog);
    const { add, early, finish, log } = set({ concurrency: 3 });
    for (const name of ['s1', 's2', 's3', 's4', 's5']) add(name, sink);
    for (const name of ['far 1', 'far 2']) add(name, new DemandNode(above));
    finish();
    backlog = 1;
    expect(early()).toBe(true);
    backlog = 2;
    finish();
    expect(log).toEqual(['s1', 's2', 's3', 's4', 'far 1', 's5']);
    expect(early()).toBe(false);
    backlog = 1;
    expect(early()).toBe(true);
    expect(log.at(-1)).toBe('far 2');
  });

  it('sends nearer requests first with concurrency 1, however little waits', () => {
    const above = new DemandNode(sink, undefined, undefined, () => 0);
    const { add, finish, log } = set();
    add('first');
    add('far', above);
    add('near', sink);
    finish();
    expect(log).toEqual(['first', 'near']);
  });

  it('sends a retry before first attempts at its depth, and after nearer requests', () => {
    const { add, admission, finish, log, task } = set();
    add('first');
    add('m1', middle);
    add('s1', sink);
    admission.enqueue(task('m0 again', middle), true);
    for (let n = 0; n < 3; n++) finish();
    expect(log).toEqual(['first', 's1', 'm0 again', 'm1']);
  });

  it('sends requests made by a delivery before those that waited', () => {
    const { add, admission, log, task } = set();
    add('parent 1', far);
    add('parent 2', far);
    admission.release(task(''), () => void add('child of 1', sink));
    expect(log).toEqual(['parent 1', 'child of 1']);
  });

  it('sends nothing whose path to the sink holds, and continues in order on release', async () => {
    const { add, admission, finish, log } = set({ concurrency: 10 });
    const held = new DemandNode(sink);
    const above = new DemandNode(held);
    held.hold();
    add('above 1', above);
    add('held 1', held);
    add('above 2', above);
    add('beside', middle);
    expect(log).toEqual(['beside']);
    expect(admission.waiting).toBe(3);
    held.release();
    await Promise.resolve();
    expect(log).toEqual(['beside', 'held 1', 'above 1', 'above 2']);
    expect(admission.waiting).toBe(0);
    finish();
  });

  it('looks for the next holder on the path when one releases', async () => {
    const { add, log } = set();
    const low = new DemandNode(undefined);
    const high = new DemandNode(low);
    high.hold();
    low.hold();
    add('x', high);
    high.release();
    await Promise.resolve();
    expect(log).toEqual([]);
    low.release();
    await Promise.resolve();
    expect(log).toEqual(['x']);
  });

  it('forgets a cancelled task, queued or parked', () => {
    const { add, admission, finish, log } = set();
    const held = new DemandNode(undefined);
    held.hold();
    add('a');
    const queued = add('queued');
    const parked = add('parked', held);
    finish();
    admission.withdraw(queued);
    admission.withdraw(parked);
    admission.withdraw(parked);
    held.release();
    finish();
    expect(log).toEqual(['a', 'queued']);
    expect([admission.waiting, admission.inFlight]).toEqual([0, 0]);
  });

  it("doesn't send a request that is cancelled in the same turn", async () => {
    const { admission, task, log } = set({ concurrency: 8, maxRequests: 2 });
    for (let n = 0; n < 100; n++) {
      const given = task(`${n}`);
      admission.enqueue(given, false);
      if (n < 99) admission.withdraw(given);
    }
    expect(log).toEqual([]);
    await Promise.resolve();
    expect(log).toEqual(['99']);
    expect(admission.sent).toBe(1);
  });

  it('lets the next one of a depth go before a complete body is read, but none from further away', () => {
    const { add, admission, early, log } = set({ concurrency: 2 });
    for (const name of ['s1', 's2', 's3']) add(name, sink);
    add('m1', middle);
    expect(early()).toBe(true);
    expect(log).toEqual(['s1', 's2', 's3']);
    expect(early()).toBe(false);
    expect([admission.inFlight, log.length]).toEqual([2, 3]);
  });

  it('sends nothing early with concurrency 1, nor beyond the budget', () => {
    for (const options of [{ concurrency: 1 }, { concurrency: 2, maxRequests: 2 }]) {
      const { add, early } = set(options);
      for (const name of ['a', 'b', 'c', 'd']) add(name, sink);
      expect(early()).toBe(false);
    }
  });

  it('never locks up at concurrency 1 with 10,000 parents and their children', () => {
    let delivered = 0;
    let most = 0;
    const { admission, log, task } = set();
    const out: string[] = [];
    const add = (name: string, node: DemandNode): void =>
      admission.beforeNext(() => admission.enqueue({ ...task(name, node), admit: () => void out.push(name) }, false));
    const children = new DemandNode(sink);
    for (let n = 0; n < 10_000; n++) add(`parent ${n}`, new DemandNode(children));
    while (admission.inFlight > 0) {
      const name = out.pop()!;
      delivered++;
      admission.release(task(name), () => {
        if (name.startsWith('parent')) for (let n = 0; n < 3; n++) add(`child of ${name}`, children);
      });
      most = Math.max(most, admission.waiting);
    }
    expect(delivered).toBe(40_000);
    expect(most).toBeLessThan(10_003);
    expect(log).toEqual([]);
  });

  it('refuses requests beyond the budget once those sent have ended', () => {
    const { add, admission, finish, log } = set({ maxRequests: 2, concurrency: 2 });
    for (const name of ['a', 'b', 'c']) add(name);
    finish();
    expect(log).toEqual(['a', 'b']);
    finish();
    expect(log).toEqual(['a', 'b', 'c: BudgetError']);
    expect(admission.budgetLeft).toBe(0);
    add('d');
    expect(log.at(-1)).toBe('d: BudgetError');
  });

  it('waits as long as the pace says, by the clock, and leaves no timer when nothing waits', () => {
    const { add, admission, clock, log } = set({ concurrency: 10, pace: new FixedPace({ requests: 10, perMs: 1000 }) });
    const tasks = ['a', 'b', 'c'].map((name) => add(name));
    expect(log).toEqual(['a']);
    expect(clock.timers).toBe(1);
    clock.advance(90);
    expect(log).toEqual(['a']);
    clock.advance(15);
    expect(log).toEqual(['a', 'b']);
    admission.withdraw(tasks[2]!);
    expect(clock.timers).toBe(0);
  });

  it('pauses as a whole, and a shorter pause does not end a longer one', () => {
    const { add, clock, log, pause } = set({ concurrency: 10 });
    pause.take(5000);
    pause.take(1000);
    add('a');
    add('b');
    clock.advance(4999);
    expect(log).toEqual([]);
    expect(pause.ms).toBe(1);
    clock.advance(1);
    expect(log).toEqual(['a', 'b']);
    expect(clock.timers).toBe(0);
    expect(pause.ms).toBe(0);
  });

  it('refuses what would wait for a pause that is too long, once nothing is in flight', () => {
    const { add, clock, finish, log, pause } = set({ concurrency: 10 });
    add('a');
    pause.require(300_001);
    add('b');
    add('c');
    expect(log).toEqual(['a']);
    finish();
    expect(log).toEqual(['a', 'b: RateLimitError', 'c: RateLimitError']);
    clock.advance(1);
    add('d');
    expect(log).toHaveLength(3);
    clock.advance(301_000);
    expect(log.at(-1)).toBe('d');
  });

  it('holds back a group whose limit is reached, and nobody else', () => {
    const { add, clock, finish, limitGroups, log } = set({ concurrency: 10, groups: [new FixedPace({ requests: 10, perMs: 1000 })] });
    const group = { limitGroup: limitGroups[1]! };
    for (const name of ['g1', 'g2', 'g3']) add(name, undefined, group);
    for (const name of ['a', 'b']) add(name);
    expect(log).toEqual(['g1', 'a', 'b']);
    clock.advance(101);
    expect(log).toEqual(['g1', 'a', 'b', 'g2']);
    limitGroups[1]!.pause.require(1000);
    add('c');
    clock.advance(999);
    expect(log.slice(4)).toEqual(['c']);
    clock.advance(101);
    expect(log.slice(4)).toEqual(['c', 'g3']);
    for (let n = 0; n < 3; n++) finish(group);
    expect([limitGroups[0]!.inFlight, limitGroups[1]!.inFlight]).toEqual([3, 0]);
  });

  it('sends the request nearest to the sink first, then the oldest, of all groups', () => {
    const { add, finish, limitGroups, log } = set({ groups: [unlimited, unlimited] });
    const [one, other] = [{ limitGroup: limitGroups[1]! }, { limitGroup: limitGroups[2]! }];
    add('first');
    add('m1', middle, one);
    add('m2', middle, other);
    add('s1', sink, other);
    add('m3', middle);
    for (let n = 0; n < 4; n++) finish();
    expect(log).toEqual(['first', 's1', 'm1', 'm2', 'm3']);
  });

  it('sends nothing in the place of a cancelled request before the caller is done, and counts only what was sent', async () => {
    const { add, admission, log } = set({ concurrency: 2 });
    const [a, b] = ['a', 'b', 'c', 'd'].map((name) => add(name));
    admission.drop(a!, true);
    admission.drop(b!, false);
    expect(log).toEqual(['a', 'b']);
    expect([admission.inFlight, admission.sent]).toEqual([0, 1]);
    await Promise.resolve();
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    expect(admission.sent).toBe(3);
  });

  it('refuses all requests once it is stopped', () => {
    const { add, admission, log } = set({ concurrency: 10 });
    admission.stop((details) => new BudgetError('stopped', details));
    add('a');
    expect(log).toEqual(['a: BudgetError']);
  });

  it("doesn't nest when a refused caller requests again", () => {
    const { admission, task, log } = set({ maxRequests: 0 });
    let left = 20_000;
    const again = (): Task => ({
      ...task('x'),
      refuse: () => {
        if (left-- > 0) admission.enqueue(again(), false);
      },
    });
    admission.beforeNext(() => admission.enqueue(again(), false));
    expect(left).toBe(-1);
    expect(log).toEqual([]);
  });
});
