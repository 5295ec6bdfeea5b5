import { describe, expect, it } from 'vitest';
import { InFlightLimit } from '../../../src/client/rate/InFlightLimit.ts';

/** Eight went out at once; those from the fifth on were refused. */
function suspected(): InFlightLimit {
  const limit = new InFlightLimit();
  expect(limit.explains(0, 5, 8, undefined)).toBe('no');
  for (let more = 0; more < 3; more++) limit.refusedToo(0);
  return limit;
}

function fill(limit: InFlightLimit, inFlight: number, times: number): void {
  for (let n = 0; n < times; n++) {
    limit.held();
    limit.succeeded({ startedAt: 1, inFlight });
  }
}

/** … and four at once went well, again and again. */
function proven(): InFlightLimit {
  const limit = suspected();
  fill(limit, 4, 16);
  return limit;
}

describe('InFlightLimit', () => {
  /** A limit in each state, and the number that it keeps to then. */
  const disproved = (): InFlightLimit => {
    const limit = suspected();
    limit.explains(1, 1, 1, undefined);
    return limit;
  };
  const accepts = (limit: InFlightLimit, most: number): InFlightLimit => {
    for (let n = 0; n < 20; n++) limit.succeeded({ startedAt: 1000, inFlight: 1 + (n % most) });
    return limit;
  };
  const tried = (): InFlightLimit => {
    const limit = accepts(disproved(), 4);
    limit.explains(1001, 5, 5, undefined);
    return limit;
  };
  const challenged = (): InFlightLimit => {
    const limit = tried();
    for (let n = 0; n < 20; n++) {
      limit.held();
      limit.succeeded({ startedAt: 1000, inFlight: 4 });
    }
    return limit;
  };
  const probing = (): InFlightLimit => {
    const limit = proven();
    limit.most(2000);
    return limit;
  };
  const edge = (limit: InFlightLimit) => accepts(limit, 4).explains(2000, 5, 5, undefined);
  const near = (limit: InFlightLimit) => limit.explains(2000, 4, 4, undefined);
  const far = (limit: InFlightLimit) => limit.explains(2000, 1, 1, undefined);

  it.each<[string, string, () => InFlightLimit, (limit: InFlightLimit) => string, string, number]>([
    ['unknown', 'near the number', () => new InFlightLimit(), near, 'no', 3],
    ['unknown', 'a single one', () => new InFlightLimit(), far, 'no', Infinity],
    ['suspected', 'near the number', suspected, near, 'no', Infinity],
    ['suspected', 'far below', suspected, far, 'no', Infinity],
    ['none', 'one more than ever', disproved, edge, 'yes', 4],
    ['none', 'far below', disproved, far, 'no', Infinity],
    ['tried', 'far below', tried, far, 'no', Infinity],
    ['tried', 'near the number', tried, near, 'no', Infinity],
    ['challenged', 'far below', challenged, far, 'no', Infinity],
    ['proven', 'far below', proven, far, 'no', 4],
    ['proven', 'near the number', proven, near, 'no', 4],
    ['proven', 'one more than ever', proven, edge, 'yes', 4],
    ['probing', 'near the number', probing, near, 'yes', 4],
    ['probing', 'far below', probing, far, 'no', 5],
  ])('that is %s takes a refusal with so many in flight: %s', (_, __, limitOf, refusal, explained, most) => {
    const limit = limitOf();
    expect(refusal(limit)).toBe(explained);
    expect(limit.most(0)).toBe(most);
  });

  it('knows no limit before anything is refused', () => {
    expect(new InFlightLimit().most(0)).toBe(Infinity);
  });

  it('suggests the number that was not refused', () => {
    expect(suspected().most(0)).toBe(4);
  });

  it('is no limit once fewer are refused', () => {
    const limit = suspected();
    expect(limit.explains(100, 1, 1, undefined)).toBe('no');
    expect(limit.most(100)).toBe(Infinity);
    expect(limit.explains(200, 8, 8, undefined)).toBe('no');
    expect(limit.most(200)).toBe(Infinity);
  });

  it('explains no refusal before it is confirmed', () => {
    expect(suspected().explains(100, 5, 5, undefined)).toBe('no');
  });

  it('stays once it is confirmed, whatever else is refused', () => {
    const limit = proven();
    expect(limit.explains(100, 2, 2, undefined)).toBe('no');
    expect(limit.most(100)).toBe(4);
  });

  it('tries one more after a while, and longer after each time that it is refused', () => {
    const limit = proven();
    expect([limit.most(999), limit.most(1000)]).toEqual([4, 5]);
    expect(limit.explains(1100, 5, 5, undefined)).toBe('yes');
    expect([limit.most(3099), limit.most(3100)]).toEqual([4, 5]);
  });

  it('waits longer from the start if the first refusal comes with a pause', () => {
    const limit = new InFlightLimit();
    limit.explains(0, 5, 5, 1000);
    fill(limit, 4, 16);
    expect([limit.most(29_999), limit.most(30_000)]).toEqual([4, 5]);
  });

  it('waits longer if a refusal comes with a pause', () => {
    const limit = proven();
    limit.most(5000);
    limit.explains(5000, 5, 5, 1000);
    expect([limit.most(34_999), limit.most(35_000)]).toEqual([4, 5]);
  });

  it('rises by growing steps while no request is refused', () => {
    const limit = proven();
    expect(limit.most(5000)).toBe(5);
    fill(limit, 5, 5);
    expect(limit.most(5000)).toBe(7);
    fill(limit, 7, 7);
    expect(limit.most(5000)).toBe(11);
  });

  it('halves the step if that was too many', () => {
    const limit = proven();
    expect(limit.most(1000)).toBe(5);
    fill(limit, 5, 5);
    expect(limit.most(1000)).toBe(7);
    expect(limit.explains(1000, 7, 7, undefined)).toBe('yes');
    expect(limit.most(1000)).toBe(6);
  });

  it('is no limit if more were accepted before', () => {
    const limit = new InFlightLimit();
    limit.succeeded({ startedAt: 1, inFlight: 16 });
    limit.explains(0, 16, 16, undefined);
    for (let more = 0; more < 4; more++) limit.refusedToo(0);
    expect(limit.most(0)).toBe(Infinity);
  });

  it('is not confirmed by responses while something else held requests back', () => {
    const limit = suspected();
    for (let n = 0; n < 100; n++) limit.succeeded({ startedAt: 1, inFlight: 4 });
    expect(limit.explains(100, 1, 1, undefined)).toBe('no');
    expect(limit.most(100)).toBe(Infinity);
  });

  it('says once that it is confirmed', () => {
    const limit = suspected();
    const said = Array.from({ length: 30 }, () => {
      limit.held();
      return limit.succeeded({ startedAt: 1, inFlight: 4 });
    });
    expect(said.filter(Boolean)).toHaveLength(1);
  });

  /** Twenty got through with one to four in flight, and the fifth was refused. */
  function oneMoreRefused(limit: InFlightLimit, now: number): 'no' | 'yes' | 'proven' {
    for (let n = 0; n < 20; n++) limit.succeeded({ startedAt: now - 1, inFlight: 1 + (n % 4) });
    return limit.explains(now, 5, 5, undefined);
  }

  function refuted(): InFlightLimit {
    const limit = new InFlightLimit();
    limit.explains(0, 16, 16, undefined);
    limit.explains(1, 1, 1, undefined);
    expect(limit.most(1)).toBe(Infinity);
    return limit;
  }

  it('is found later if the first requests arrived in another order than they were sent', () => {
    const limit = refuted();
    expect(oneMoreRefused(limit, 100)).toBe('yes');
    expect(limit.most(100)).toBe(4);
    fill(limit, 4, 20);
    expect(limit.most(200)).toBe(5);
    expect(oneMoreRefused(limit, 200)).toBe('proven');
    expect(limit.most(200)).toBe(4);
  });

  it('is not found if one more is accepted after all', () => {
    const limit = refuted();
    oneMoreRefused(limit, 100);
    fill(limit, 4, 20);
    fill(limit, 5, 5);
    expect(limit.most(200)).toBe(Infinity);
  });

  it('is not found if as many had been accepted, or if few were', () => {
    const limit = refuted();
    limit.succeeded({ startedAt: 50, inFlight: 5 });
    expect(oneMoreRefused(limit, 100)).toBe('no');
    expect(limit.explains(200, 5, 5, undefined)).toBe('no');
    expect(limit.most(200)).toBe(Infinity);
  });
});
