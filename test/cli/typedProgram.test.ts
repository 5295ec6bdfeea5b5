import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { typedProgram } from '../../src/cli/typedProgram.ts';

describe('typedProgram', () => {
  const here = join('/', 'crawls');
  it.each([
    ['trawler', join('/', 'usr', 'bin', 'trawler'), []],
    ['npx trawler', join(here, 'node_modules', '.bin', 'trawler'), []],
    [
      `node --env-file=.env ${join('node_modules', 'trawler', 'dist', 'bundle', 'cli.js')}`,
      join(here, 'node_modules', 'trawler', 'dist', 'bundle', 'cli.js'),
      ['--env-file=.env'],
    ],
  ])('is %j', (typed, script, flags) => {
    expect(typedProgram(script, flags, here)).toBe(typed);
  });
});
