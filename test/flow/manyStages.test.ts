import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderPlan } from '../../src/cli/commands/plan.ts';
import { depthsOf } from '../../src/flow/definition/depthsOf.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import { planFlow, type FlowDefinition, type StageDefinition } from '../../src/flow/index.ts';
import { drawPlan } from '../../src/flow/plan/drawPlan.ts';
import { runInProcess } from '../cli/runInProcess.ts';

type Stages = { readonly [name: string]: StageDefinition };

const place = { call: 'mapsSearch', with: { query: 'coffee' }, keep: { data_id: '$.data_id' } } as const;

/** A flow of so many stages: side by side, each over the one before, or all over the first. */
const shapes: { readonly [shape: string]: (index: number) => StageDefinition } = {
  'side by side': (index) => ({ call: 'mapsSearch', with: { query: `town ${index}` }, to: `town-${index}.jsonl` }),
  'in a chain': (index) =>
    index === 0 ? { ...place, keep: {} } : { call: 'mapsSearch', each: `s${index - 1}`, with: { query: '$.title' }, to: `in/${index}.csv` },
  'below one': (index) => (index === 0 ? { ...place, keep: {} } : { call: 'placeReviews', each: 's0' }),
};

function flowOf(shape: string, count: number): FlowDefinition {
  const stages = Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, shapes[shape]!(index)]));
  return { name: 'many', stages };
}

/** The same object, which counts how often it and the objects in it are looked at. */
function counted<T extends object>(object: T, looks: { count: number }): T {
  const look =
    <Args extends readonly unknown[], Result>(trap: (...args: Args) => Result) =>
    (...args: Args): Result => {
      looks.count += 1;
      return trap(...args);
    };
  return new Proxy<T>(object, {
    get: look((target: T, key: string | symbol): unknown => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? counted(value, looks) : value;
    }),
    ownKeys: look((target: T) => Reflect.ownKeys(target)),
    getOwnPropertyDescriptor: look((target: T, key: string | symbol) => Reflect.getOwnPropertyDescriptor(target, key)),
  });
}

function looksFor(shape: string, count: number): number {
  const looks = { count: 0 };
  const definition = flowOf(shape, count);
  compileFlow({ ...definition, stages: counted(definition.stages as Stages, looks) });
  return looks.count;
}

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'trawler-many-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a flow of many stages', () => {
  it.each(Object.keys(shapes))('is looked at twice as often when it has twice as many (%s)', (shape) => {
    const [few, many] = [looksFor(shape, 100), looksFor(shape, 200)];
    expect(many / few).toBeLessThan(2.2);
  });

  it('is checked, planned and drawn by the command, though a chain of it is deeper than the stack', async () => {
    const [path, drawing] = [join(folder, 'many.json'), join(folder, 'many.svg')];
    writeFileSync(path, JSON.stringify(flowOf('in a chain', 8000)));
    const { code, stdout } = await runInProcess(['plan', path, '--svg', drawing]);
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'many']);
    expect(stdout.split('\n').length).toBeGreaterThan(8000);
    expect(readFileSync(drawing, 'utf8')).toContain('</svg>');
  });

  it.runIf(process.env['TRAWLER_LONG'] === '1').each(Object.keys(shapes))('is planned, however many they are (%s)', async (shape) => {
    const plan = await planFlow(flowOf(shape, 100_000));
    expect(renderPlan(plan).split('\n').length).toBeGreaterThan(100_000);
    expect(drawPlan(plan)).toContain('</svg>');
  });
});

describe('a product of many values', () => {
  it('is counted without making its queries', async () => {
    const values = Array.from({ length: 1000 }, (_, index) => `q${index}`);
    const plan = await planFlow({
      name: 'product',
      stages: { web: { call: 'webSearch', with: { query: values, location: [...values, 'q0'] } } },
    });
    expect(plan.stages[0]!.queries).toEqual({ atLeast: 1_000_000, atMost: 1_000_000 });
  });
});

describe('depthsOf', () => {
  const of = (links: { readonly [name: string]: readonly string[] }): ReturnType<typeof depthsOf> =>
    depthsOf(Object.keys(links), (name) => links[name]!);

  it.each([
    ['roots', { a: [], b: [] }, { a: 0, b: 0 }],
    ['a chain that is named from its end', { c: ['b'], b: ['a'], a: [] }, { a: 0, b: 1, c: 2 }],
    ['the longest of several ways', { d: ['a', 'c'], c: ['b'], b: ['a'], a: [] }, { a: 0, b: 1, c: 2, d: 3 }],
  ])('measures %s', (_, links, depths) => {
    const found = of(links);
    expect([Object.fromEntries(found.depths), found.circle]).toEqual([depths, undefined]);
  });

  it.each([
    ['of one', { a: ['a'] }, ['a', 'a']],
    ['behind a way that leads to it', { x: ['a'], a: ['b'], b: ['c'], c: ['a'] }, ['a', 'b', 'c', 'a']],
    ['the first of two', { a: ['b'], b: ['a'], c: ['d'], d: ['c'] }, ['a', 'b', 'a']],
  ])('names a circle %s, and still ends', (_, links, circle) => {
    const found = of(links);
    expect(found.circle).toEqual(circle);
    expect([...found.depths.keys()].sort()).toEqual(Object.keys(links).sort());
  });
});
