import { describe, expect, it } from 'vitest';
import { callback, flag, group, having, like, number, oneOf, signal, text, whole } from '../../operators/options/kinds.ts';
import { type OptionKind, declareOptions } from '../../operators/options/OptionSet.ts';

interface Options {
  readonly size?: number | undefined;
  readonly mode?: 'fast' | 'slow' | undefined;
  readonly name: string;
  readonly inner?: { readonly depth?: number | undefined } | undefined;
}

const inner = declareOptions<NonNullable<Options['inner']>>()({ depth: whole({ from: 0 }).or(3) });
const options = declareOptions<Options>()({
  size: whole({ from: 1, to: 9 }).or(4),
  mode: oneOf('fast', 'slow').or('fast'),
  name: text().needed(),
  inner: group(inner),
});
const read = (given: object) => () => options.read('make', given as Options);

describe('declareOptions', () => {
  it('fills in the defaults, and reads own properties only', () => {
    expect(options.read('make', { name: 'a', size: undefined })).toEqual({ size: 4, mode: 'fast', name: 'a', inner: undefined });
    expect(options.read('make', Object.assign(Object.create({ size: 9 }) as object, { name: 'a' }))).toMatchObject({ size: 4 });
  });

  it.each<readonly [object, string]>([
    [{ name: 'a', sice: 1 }, "make: there is no option 'sice'; did you mean 'size'?"],
    [{ name: 'a', xyz: 1 }, "make: there is no option 'xyz'; it has size, mode, name, inner"],
    [{ name: 'a', constructor: 1 }, "make: there is no option 'constructor'; it has size, mode, name, inner"],
    [{ name: 'a', size: 10 }, 'make: size must be a whole number from 1 to 9, not 10'],
    [{ name: 'a', size: '1' }, "make: size must be a whole number from 1 to 9, not '1'"],
    [{ name: 'a', size: null }, 'make: size must be a whole number from 1 to 9, not null'],
    [{ name: 'a', mode: 'quick' }, "make: mode must be 'fast' or 'slow', not 'quick'"],
    [{}, 'make: name must be a text that is not empty, not undefined'],
    [{ name: 'a', inner: { dept: 1 } }, "make: there is no option 'inner.dept'; did you mean 'inner.depth'?"],
    [{ name: 'a', inner: { depth: -1 } }, 'make: inner.depth must be a whole number from 0 on, not -1'],
    [{ name: 'a', inner: [] }, 'make: inner must be an object, not a list'],
    [{ name: 'a', inner: 5 }, 'make: inner must be an object of options, not 5'],
    [[], 'make: the options must be an object, not a list'],
  ])('refuses %j', (given, message) => expect(read(given)).toThrow(new RangeError(message)));
});

describe('a kind of option', () => {
  it.each<readonly [string, OptionKind, readonly unknown[], readonly unknown[]]>([
    ['a whole number from 1 on', whole({ from: 1 }), [1, 7, Infinity], [0, 1.5, Number.NaN, '1', -1, null]],
    ['a whole number from 0 on', whole({ from: 0, finite: true }), [0, 2 ** 53 - 1], [Infinity, -1]],
    ['a number from 0 to 1', number({ from: 0, to: 1 }), [0, 0.5, 1], [-0.1, 1.1, Number.NaN, '1']],
    ['a number above 0', number({ above: 0 }), [0.1, Infinity], [0, Number.NaN]],
    ['a number above 0 and at most 5', number({ above: 0, to: 5 }), [5], [0, 6]],
    ["'a', 'b' or 'c'", oneOf('a', 'b', 'c'), ['a'], ['d', 1]],
    ['true or false', flag(), [true, false], ['true', 0]],
    ['a text that is not empty', text(), ['a'], ['', 'a\0', 1]],
    ['a function', callback(), [() => 1], [{}, 'f']],
    ['an AbortSignal', signal(), [new AbortController().signal], ['stop', {}, null]],
    ['a Set', having('a Set', 'has', 'add'), [new Set()], [new WeakRef({}), { has: () => true }]],
    ['even', like('even', (value) => Number(value) % 2 === 0), [2], [3]],
  ])('takes %s', (takes, kind, right, wrong) => {
    expect(kind.takes).toBe(takes);
    expect(right.map(kind.fits)).toEqual(right.map(() => true));
    expect(wrong.map(kind.fits)).toEqual(wrong.map(() => false));
  });
});
