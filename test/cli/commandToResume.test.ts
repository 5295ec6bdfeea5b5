import { describe, expect, it } from 'vitest';
import { commandToResume } from '../../src/cli/typedProgram.ts';

describe('commandToResume', () => {
  it('leaves out what holds for one run only', () => {
    expect(commandToResume(['a flow.json', '--fresh', '--first', '5', '--out', 'x', '--failures', '--first=5'], 'npx trawler')).toBe(
      "npx trawler run 'a flow.json' --out x",
    );
  });

  it('has no password of a database, a queue or a target', () => {
    const secrets = [
      ['--postgres', 'postgresql://somebody:hush@db/secret'],
      ['--postgres=postgresql://somebody:hush@db/secret'],
      ['--queue', 'redis://:hush@host:6379/1'],
      ['--queue', 'rediss://somebody:hu/sh@host:6379'],
      ['--queue=redis://somebody:hush@host:6379/1?password=hush&family=6'],
      ['--queue', 'redis://host?username=somebody&password=hush'],
      ['--publish', 'https://somebody:hush@host/bucket'],
      ['--base-url', 'https://hush@host'],
      ['--notify', 'https://host/services/hush'],
    ];
    for (const argv of secrets) expect(commandToResume(['flow.json', ...argv, '--out', 'x'])).not.toMatch(/hush|sh@|somebody|secret/);
  });

  it('says where a password was, and keeps the rest of the address', () => {
    expect(commandToResume(['flow.json', '--queue', 'redis://:hush@host:6379/1'])).toBe(
      "trawler run flow.json --queue 'redis://[password]@host:6379/1'",
    );
    expect(commandToResume(['flow.json', '--queue', 'redis://host:6379'])).toBe('trawler run flow.json --queue redis://host:6379');
    expect(commandToResume(['me@home.json', '--publish', 's3://bucket/a@b?c=d'])).toBe(
      "trawler run me@home.json --publish 's3://bucket/a@b?c=d'",
    );
  });
});
