import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/show/routes.ts';

const folder = join(import.meta.dirname, '../../src/show/page');
const request = /(?<![.\w])(?:get|post|apiAddress)(?:<[^(]*>)?\('(\w+)'/g;

describe('routes', () => {
  it('has every route that the page requests', () => {
    const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
    const requested = sources.flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(request)].map(([, route]) => route!));
    expect(requested).toContain('changes');
    const served = new Set(Object.keys(routes).map((route) => route.replace(/^\w+ \/api\//, '')));
    expect(requested.filter((route) => !served.has(route))).toEqual([]);
  });
});
