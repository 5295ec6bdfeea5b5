import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Release {
  readonly manifest: object;
  readonly changelog: string;
  readonly branch: string;
  readonly changed: readonly string[];
  readonly tags: readonly string[];
  readonly tag?: string | undefined;
}
const { releaseFaults } = (await import(join(fileURLToPath(new URL('../scripts/', import.meta.url)), 'releaseFaults.mjs'))) as {
  readonly releaseFaults: (release: Release) => readonly string[];
};

const ready: Release = {
  manifest: { version: '0.2.0', homepage: 'https://trawler.test' },
  changelog: '# Changelog\n\n## 0.2.0 (2026-01-31)\n\n## 0.1.0 (2025-12-01)',
  branch: 'main',
  changed: [],
  tags: ['v0.1.0'],
};

describe('releaseFaults', () => {
  it('finds nothing where all is ready, and in the job of the right tag', () => {
    expect(releaseFaults(ready)).toEqual([]);
    expect(releaseFaults({ ...ready, branch: '', tags: ['v0.1.0', 'v0.2.0'], tag: 'v0.2.0' })).toEqual([]);
  });

  it.each<[string, Partial<Release>, string]>([
    ['another branch', { branch: 'next' }, 'releases are made from main; this is next'],
    ['a version that is out', { tags: ['v0.2.0'] }, 'v0.2.0 is tagged already'],
    ['the tag of another version', { tag: 'v0.3.0' }, 'the tag is v0.3.0, and package.json says 0.2.0'],
    ['files that are not committed', { changed: [' M README.md'] }, 'such as README.md'],
    ['a placeholder', { manifest: { version: '0.2.0', bugs: { url: 'https://example.com/issues' } } }, 'bugs of package.json is still a'],
    ['no changes told', { changelog: '## 0.1.0 (2025-12-01)' }, "CHANGELOG.md has no part '## 0.2.0'"],
    ['no day', { changelog: '## 0.2.0 (unreleased)' }, 'CHANGELOG.md says no day'],
  ])('refuses %s', (_, wrong, message) => {
    expect(releaseFaults({ ...ready, ...wrong })).toEqual([expect.stringContaining(message)]);
  });
});
