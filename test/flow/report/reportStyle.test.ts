import { describe, expect, it } from 'vitest';
import { reportStyle } from '../../../src/flow/report/reportStyle.ts';

type Colour = readonly [number, number, number];

/** The colours of both themes, as light from 0 to 1. */
const themes = Array.from(reportStyle.matchAll(/:root\{([^}]*)\}/g), ([, text]) => {
  return new Map(Array.from(text!.matchAll(/--(\w+):(#\w+)/g), ([, name, hex]) => [name!, lightOf(hex!)]));
});

function lightOf(hex: string): Colour {
  const digits = hex.length === 4 ? hex.replace(/\w/g, '$&$&') : hex;
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Colour;
}

/** As WCAG says. */
function contrast(one: Colour, other: Colour): number {
  const luminance = ([r, g, b]: Colour): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [dark, bright] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}

/** What people see who lack one kind of cones, after Machado, Oliveira and Fernandes (2009). */
const eyes: { readonly [eye: string]: readonly Colour[] } = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}; // prettier-ignore

/** How far apart two colours look, in Oklab: black and white are 1 apart. */
function distance(one: Colour, other: Colour, eye: readonly Colour[]): number {
  const times = (rows: readonly Colour[], by: readonly number[]): number[] => rows.map((row) => row[0] * by[0]! + row[1] * by[1]! + row[2] * by[2]!); // prettier-ignore
  const lab = (colour: Colour): number[] => {
    const seen = times(eye, colour).map((value) => Math.min(1, Math.max(0, value)));
    const cones = times([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.63]], seen).map(Math.cbrt); // prettier-ignore
    return times([[0.2105, 0.7936, -0.0041], [1.978, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]], cones); // prettier-ignore
  };
  const [from, to] = [lab(one), lab(other)];
  return Math.hypot(...from.map((value, at) => value - to[at]!));
}

describe('reportStyle', () => {
  it.each(themes.map((theme, at) => [at === 0 ? 'light' : 'dark', theme] as const))(
    'has text that can be read in a %s theme',
    (_, theme) => {
      expect(theme.size).toBe(13);
      for (const ground of ['bg', 'card'])
        for (const name of ['ink', 'mute', 'good', 'warn', 'bad', 'c1'])
          expect([ground, name, contrast(theme.get(name)!, theme.get(ground)!) >= 4.5]).toEqual([ground, name, true]);
      for (const name of ['c2', 'c3', 'c4', 'c5'])
        expect([name, contrast(theme.get(name)!, theme.get('card')!) >= 3]).toEqual([name, true]);
    },
  );

  it.each(Object.entries(eyes))('has colours that can be told apart with %s', (_, eye) => {
    for (const theme of themes)
      for (const group of [['good', 'warn', 'bad'], ['c1', 'c2', 'c3', 'c4', 'c5']])
        for (const [at, one] of group.entries())
          for (const other of group.slice(at + 1))
            expect([one, other, distance(theme.get(one)!, theme.get(other)!, eye) > 0.08]).toEqual([one, other, true]);
  }); // prettier-ignore

  it('uses five sizes of text and two weights', () => {
    const [own] = reportStyle.split('.flow text') as [string]; // a drawing has sizes of its own
    const sizes = [...own.matchAll(/font-size:([^;}]+)/g)].map(([, size]) => size);
    expect(new Set(sizes)).toEqual(new Set(['var(--t1)', 'var(--t2)', 'var(--t3)', 'var(--t4)', 'var(--t5)']));
    expect(new Set([...own.matchAll(/font-weight:([^;}]+)/g)].map(([, weight]) => weight))).toEqual(new Set(['400', '600']));
  });
});
