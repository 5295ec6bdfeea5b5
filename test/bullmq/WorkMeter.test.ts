import { describe, expect, it } from 'vitest';
import { WorkMeter } from '../../src/bullmq/PageWorker.ts';

describe('WorkMeter', () => {
  it('says a line when it is connected, and one a minute', () => {
    const said: string[] = [];
    const meter = new WorkMeter('connected', (message) => said.push(message));
    for (let second = 100; second <= 280; second++) {
      if (second < 220) meter.add(second % 20 > 0);
      meter.look(second * 1000);
    }
    expect(said).toEqual([
      'connected',
      'pages in the last minute: 57, 0.9 per second; requests that failed: 3',
      'pages in the last minute: 57, 0.9 per second; requests that failed: 2',
      'no jobs in the last minute',
    ]);
  });
});
