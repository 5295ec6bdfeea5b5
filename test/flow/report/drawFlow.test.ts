import { describe, expect, it } from 'vitest';
import { drawFlow, layFlow, type FlowBox } from '../../../src/flow/report/drawFlow.ts';

const box = (name: string, each: readonly string[] = []): FlowBox => ({ name, call: 'webSearch', each, lines: [] });
const names = (boxes: readonly FlowBox[]): readonly (readonly string[])[] => layFlow(boxes).map((column) => column.map((one) => one.name));

describe('drawFlow', () => {
  it('puts each box to the right of everything that it runs over', () => {
    expect(names([box('d', ['b', 'c']), box('a'), box('b', ['a']), box('c', ['b'])])).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  it('keeps children beside their parents', () => {
    expect(names([box('a'), box('b'), box('of b', ['b']), box('of a', ['a'])])).toEqual([
      ['a', 'b'],
      ['of a', 'of b'],
    ]);
  });

  it('draws a file of seeds as a box of its own', () => {
    expect(names([box('a', ['cities.csv'])])).toEqual([['cities.csv'], ['a']]);
  });

  it('draws a cycle instead of hanging', () => {
    expect(
      names([box('a', ['b']), box('b', ['a'])])
        .flat()
        .toSorted(),
    ).toEqual(['a', 'b']);
  });

  it('shows names as text, whatever is in them', () => {
    const svg = drawFlow([box('<script>"&'), box('b', ['<script>"&'])]);
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;script&gt;&quot;&amp;');
    expect(svg.match(/<path/g)).toHaveLength(1);
  });

  it('brings its own colours when it stands alone', () => {
    const alone = drawFlow([box('a')], { standalone: true });
    expect(alone).toContain('prefers-color-scheme:dark');
    expect(alone).toContain('background:var(--bg)'); // else light text may stand on a white page
    expect(drawFlow([box('a')])).not.toContain('<style');
  });
});
