import { describe, expect, it } from 'vitest';
import * as trawler from '../src/index.ts';
import * as errors from '../src/errors/index.ts';

describe('trawler', () => {
  it('exports all that it should, by name', () => {
    const values = [
      'createClient',
      'showProgress',
      'clientEvents',
      'describeEvent',
      'undocumented',
      'systemClock',
      'LearntPace',
      'FixedPace',
      'operations',
      'checkQuery',
      'checkResponse',
      'coerceQuery',
    ];
    const more = ['responseJsonSchema', 'columnsOf', 'describeOperation', 'listsOf', 'nearestName'];
    const services = ['defineOperation', 'defineService', 'loadService', 'searchService'];
    expect(Object.keys(trawler).sort()).toEqual([...values, ...more, ...services, ...Object.keys(errors)].sort());
  });
});
