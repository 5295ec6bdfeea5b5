import { describe, expect, it } from 'vitest';
import { typedProgram } from '../../src/cli/typedProgram.ts';

describe('typedProgram', () => {
  const linux = { flags: [], cwd: '/crawls', platform: 'linux' };
  it.each([
    ['trawler', '/usr/bin/trawler', linux],
    ['npx trawler', '/crawls/node_modules/.bin/trawler', linux],
    [
      'node --env-file=.env node_modules/trawler/dist/bundle/cli.js',
      '/crawls/node_modules/trawler/dist/bundle/cli.js',
      { ...linux, flags: ['--env-file=.env'] },
    ],
    ["node '../my clone/dist/bundle/cli.js'", '/my clone/dist/bundle/cli.js', linux],
  ])('is %j', (typed, script, started) => {
    expect(typedProgram(script, started)).toBe(typed);
  });

  // npm starts `node …\\cli.js` there, whoever typed what.
  const windows = { flags: [], cwd: 'C:\\crawls\\coffee', platform: 'win32' };
  const inProject = 'C:\\crawls\\coffee\\node_modules\\trawler\\dist\\bundle\\cli.js';
  it.each([
    ['npx trawler', inProject, windows],
    ['npx trawler', 'C:\\crawls\\node_modules\\trawler\\dist\\bundle\\cli.js', windows],
    ['trawler', 'C:\\Users\\ann\\AppData\\Roaming\\npm\\node_modules\\trawler\\dist\\bundle\\cli.js', windows],
    ['trawler', 'D:\\npm\\node_modules\\trawler\\dist\\bundle\\cli.js', windows],
    ['node --env-file=.env node_modules\\trawler\\dist\\bundle\\cli.js', inProject, { ...windows, flags: ['--env-file=.env'] }],
    ['node "..\\a clone\\dist\\bundle\\cli.js"', 'C:\\crawls\\a clone\\dist\\bundle\\cli.js', windows],
  ])('on Windows, is %j', (typed, script, started) => {
    expect(typedProgram(script, started)).toBe(typed);
  });
});
