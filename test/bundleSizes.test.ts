import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';

/** Compressed kilobytes that a door may load. Raise one only for what earns it. */
const limits = { index: 144, operators: 72, sinks: 56, store: 36, flow: 170, sandbox: 104, bullmq: 229, testing: 140, cli: 10 };

const scripts = fileURLToPath(new URL('../scripts/', import.meta.url));

describe('what importing a door loads', () => {
  it.each(Object.entries(limits))('of %s is at most %i kB compressed, and not much less', async (door, limit) => {
    const { bundleSizes } = (await import(join(scripts, 'bundleSizes.mjs'))) as {
      readonly bundleSizes: (dist: string, doors: readonly string[]) => { readonly [door: string]: number };
    };
    const size = bundleSizes(inject('dist'), [door])[door]! / 1000;
    expect(size).toBeLessThan(limit);
    expect(size, 'lower the limit').toBeGreaterThan(limit * 0.7);
  });
});
