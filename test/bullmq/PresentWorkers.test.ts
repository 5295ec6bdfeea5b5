import { describe, expect, it } from 'vitest';
import { PresentWorkers } from '../../src/bullmq/Leader.ts';

const named = (...names: readonly string[]): readonly string[] => names.map((name) => `bull:cXVldWU=:w:${name}`);

describe('PresentWorkers', () => {
  it('names the workers that come, and those that go and are not back within seconds', () => {
    const said: string[] = [];
    const workers = new PresentWorkers((message) => said.push(message));
    workers.look([], 0);
    workers.look(named('here.1x4', 'there.2x8'), 500);
    workers.look(named('here.1x4', 'there.2x8'), 1000);
    workers.look(named('there.2x8'), 1500);
    workers.look(named('here.1x4', 'there.2x8', 'late.3x4'), 3900); // one has connected again
    workers.look(named('late.3x4'), 6900);
    workers.look(named('late.3x4'), 6901);
    workers.look([], 10_000);
    expect(said).toEqual([
      '2 workers are here: here.1, there.2. Now 2 workers for 12 requests at once',
      'a worker is here: late.3. Now 3 workers for 16 requests at once',
      '2 workers are gone: here.1, there.2. Now 1 worker for 4 requests at once',
      'a worker is gone: late.3. Now 0 workers for 0 requests at once',
    ]);
  });

  it('says nothing of who comes where Redis has no names', () => {
    const said: string[] = [];
    new PresentWorkers((message) => said.push(message)).look([undefined, undefined], 0);
    expect(said).toEqual([]);
  });
});
