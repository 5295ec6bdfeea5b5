import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = join(import.meta.dirname, '../../../src');
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const textOf = (path: string): string => readFileSync(join(src, path), 'utf8');

/** Files that have a text which fits. */
const having = (pattern: RegExp): readonly string[] => sources.filter((path) => pattern.test(textOf(path))).toSorted();

const deciding = sources.filter((path) => /^flow\/core\/(decide|stepQuery)/.test(path));

describe("a crawl's state", () => {
  it('is evolved where events are taken and where a journal is replayed, and nowhere else', () => {
    expect(having(/\.evolve\(/)).toEqual(['flow/state/RunHistory.ts', 'flow/state/RunStorage.ts']);
  });

  it('is made of parts that only it makes', () => {
    const parts = ['Queries', 'Dedup', 'NewestRows', 'Sightings'];
    expect(having(new RegExp(`new (${parts.join('|')})\\(`))).toEqual(['flow/core/FlowState.ts']);
    expect(having(/new StageCovers\(/)).toEqual(['flow/core/FlowState.ts']);
  });

  it('is decided upon through a view that has no way to write', () => {
    expect(deciding.length).toBe(3);
    for (const path of deciding) expect(textOf(path)).not.toMatch(/import \{[^}]*\bFlowState\b/);
  });

  it('is decided upon without a clock, and at once: a decision is a list', () => {
    for (const path of deciding) expect(textOf(path)).not.toMatch(/Date\.now|performance\.|setUnreliable|function\*|failureOf\(\w+\)/);
  });
});
