import { describe, expect, it } from 'vitest';
import { isWanted, testsOf, type Condition } from '../../operators/rowConditions.ts';

describe('isWanted', () => {
  it.each<[row: object, field: string, condition: Condition, wanted: boolean]>([
    [{ l: [{ k: 'x' }, { k: 'y' }] }, 'l[].k', { '!=': 'x' }, true],
    [{ l: [{ k: 'x' }] }, 'l[].k', { '!=': 'x' }, false],
    [{ l: [] }, 'l[].k', { '!=': 'x' }, false],
    [{}, 'l[].k', { '!=': 'x' }, false],
    [{ l: [{}] }, 'l[].k', { '!=': 'x' }, true],
    [{ l: [] }, 'l[]', { '!=': 'x' }, false],
    [{ l: ['y'] }, 'l[]', { '!=': 'x' }, true],
    [{}, 'k', { '!=': 'x' }, true],
    [{ l: [] }, 'l[].k', { exists: false }, true],
    [{ l: [] }, 'l', { exists: true }, false],
    [{ l: [] }, 'l', { exists: false }, true],
    [{ l: {} }, 'l', { exists: true }, false],
    [{ l: [0] }, 'l', { exists: true }, true],
    [{ n: 0 }, 'n', { exists: true }, true],
    [{ n: '12.5' }, 'n', { '>': 12 }, true],
    [{ n: '0x1F' }, 'n', { '>': 12 }, false],
    [{ n: ' ' }, 'n', { '<': 12 }, false],
    [{ n: [] }, 'n', { '<': 12 }, false],
    [{ n: true }, 'n', { '<': 12 }, false],
    [{ t: 'Blue Bottle Coffee' }, 't', { contains: 'bottle' }, true],
    [{ t: 'Blue Bottle Coffee' }, 't', { contains: 'tea' }, false],
    [{ n: 1234 }, 'n', { contains: '23' }, true],
    [{}, 't', { contains: 'x' }, false],
    [{ l: ['a', 'xyz'] }, 'l[]', { contains: 'Y' }, true],
    ...[
      ['https://example.com', true],
      ['https://www.Example.com/page?x=1#y', true],
      ['http://user:word@blog.example.com:8080/', true],
      ['example.com', true],
      ['//example.com/a', true],
      ['example.com › news › today', true],
      ['example.com.', true],
      ['https://notexample.com', false],
      ['https://example.com.evil.org', false],
      ['https://evil.org/example.com', false],
      ['https://evil.org?u=https://example.com', false],
      ['', false],
      ['http://', false],
      [null, false],
    ].map(([link, wanted]): [object, string, Condition, boolean] => [{ link }, 'link', { domain: 'example.com' }, wanted as boolean]),
    [{ link: 'https://bücher.example/' }, 'link', { domain: 'xn--bcher-kva.example' }, true],
    [{ link: 'https://example.com' }, 'link', { domain: 'www.example.com' }, false],
  ])('%j with %s %j is wanted: %s', (row, field, condition, wanted) => {
    expect(isWanted(row, testsOf('where', { [field]: condition }))).toBe(wanted);
  });

  it.each([
    [{ link: { domian: 'x' } }, "no comparison of link is called 'domian'; did you mean 'domain'?"],
    [{ 'a..b': 1 }, "'a..b' isn't a path"],
  ])('refuses %j', (conditions, message) => {
    expect(() => testsOf('untilMatch', conditions as never)).toThrow(message);
  });
});
