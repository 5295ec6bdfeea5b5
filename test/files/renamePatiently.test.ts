import { describe, expect, it } from 'vitest';
import { renamePatiently } from '../../src/files/nodeFileSystem.ts';

/** A disk on which so many renames fail with this code. */
function disk(platform: string, code: string, failures: number): { readonly said: string[]; readonly run: () => void } {
  const said: string[] = [];
  let left = failures;
  const rename = (from: string, to: string): void => {
    if (left-- > 0) throw Object.assign(new Error(`${code}: rename`), { code });
    said.push(`${from} is ${to}`);
  };
  return { said, run: () => renamePatiently('a.part', 'a', { platform, rename, pause: (ms) => void said.push(`${ms} ms`) }) };
}

describe('renamePatiently', () => {
  it.each(['EBUSY', 'EPERM', 'EACCES'])('waits on Windows while another program has the file open: %s', (code) => {
    const { said, run } = disk('win32', code, 2);
    run();
    expect(said).toEqual(['10 ms', '20 ms', 'a.part is a']);
  });

  it('says what is wrong after half a second', () => {
    const { said, run } = disk('win32', 'EBUSY', Infinity);
    expect(run).toThrow('EBUSY');
    expect(said).toEqual(['10 ms', '20 ms', '40 ms', '80 ms', '160 ms', '320 ms']);
  });

  it.each([
    ['win32', 'ENOENT'],
    ['linux', 'EPERM'],
    ['darwin', 'EACCES'],
  ])('fails at once where waiting would not help: %s, %s', (platform, code) => {
    const { said, run } = disk(platform, code, 1);
    expect(run).toThrow(code);
    expect(said).toEqual([]);
  });
});
