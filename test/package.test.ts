import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly typesVersions: Readonly<Record<'*', Readonly<Record<string, readonly string[]>>>>;
  readonly bin: Readonly<Record<string, string>>;
};

describe('the package', () => {
  it('has a source behind each door', () => {
    const doors = Object.values(manifest.exports).filter((door) => typeof door === 'object');
    expect(doors.length).toBeGreaterThanOrEqual(6);
    for (const { types } of doors) {
      const source = types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts');
      expect(existsSync(join(root, source)), source).toBe(true);
    }
  });

  it('has the types of each door where modules are resolved as Node 10 did', () => {
    const doors = Object.entries(manifest.exports).flatMap(([name, door]) =>
      typeof door === 'object' && name !== '.' ? [[name.slice('./'.length), [door.types]] as const] : [],
    );
    expect(manifest.typesVersions['*']).toEqual(Object.fromEntries(doors));
  });

  it('tells its version from the changelog', () => {
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`## ${manifest.version}`);
  });

  it('has no link that leads out of it', () => {
    const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    const [{ files }] = JSON.parse(told) as [{ readonly files: readonly { readonly path: string }[] }];
    const paths = new Set(files.flatMap(({ path }) => path.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))));
    const dead = files
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.md') || path === 'llms.txt')
      .flatMap((page) => {
        const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map((match) => match[1]!);
        const inside = links.filter((link) => !/^[a-z]+:/.test(link)).map((link) => join(page, '..', link).replace(/[\\/]$/, ''));
        return inside.filter((link) => !paths.has(link.replaceAll('\\', '/'))).map((link) => `${page}: ${link}`);
      });
    expect(paths.size).toBeGreaterThan(100);
    expect(dead).toEqual([]);
  });

  it('keeps out what is not for its users: machine paths, registry addresses, loose ends', () => {
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
    const text = files.filter((file) => /\.(ts|mjs|cjs|md|json|sh)$|^\.ci\//.test(file) && existsSync(join(root, file)));
    const loose = new RegExp(['TO' + 'DO', 'FIX' + 'ME', '@ts-' + 'ignore', '@ts-' + 'nocheck'].map((word) => `${word}\\b`).join('|'));
    const found = text.flatMap((file) => {
      const content = readFileSync(join(root, file), 'utf8');
      return [
        ...(loose.test(content) ? [`${file} has a loose end`] : []),
        ...(/\/(home|Users|root)\/\w+\//.test(content) ? [`${file} has a path of a machine`] : []),
        ...(file.endsWith('package-lock.json') && content.includes('"resolved": "http') ? [`${file} names a registry`] : []),
      ];
    });
    expect(found).toEqual([]);
  });
});
