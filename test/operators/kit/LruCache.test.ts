import { describe, expect, it } from 'vitest';
import { LruCache } from '../../../operators/kit/LruCache.ts';

describe('LruCache', () => {
  it('keeps what was used last, and ends what goes', () => {
    const ended: string[] = [];
    const open = new LruCache<string, { readonly name: string }>(2, ({ name }) => ended.push(name));
    const use = (name: string): object => open.use(name, () => ({ name }));
    const a = use('a');
    use('b');
    expect(use('a')).toBe(a);
    expect(open.peek('b')).toEqual({ name: 'b' });
    use('c');
    expect(ended).toEqual(['b']);
    open.drop('b');
    open.drop('a');
    open.clear();
    expect(ended).toEqual(['b', 'a', 'c']);
    expect(open.size).toBe(0);
  });
});
