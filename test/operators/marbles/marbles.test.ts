import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import type { Line } from './Diagram.ts';
import { diagrams } from './diagrams.ts';
import { draw } from './draw.ts';

const folder = fileURLToPath(new URL('../../../docs/marbles/', import.meta.url));

describe.each(diagrams)('the marble diagram of $operator', (diagram) => {
  it('shows what the operator does', () => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ cold, expectObservable, expectSubscriptions }) => {
      const lines: readonly Line[] = [diagram.source, ...diagram.inner];
      const streams = new Map(lines.map(({ label, marbles }) => [label, cold(marbles)]));
      const line = (label: string): ReturnType<typeof cold<string>> => {
        const stream = streams.get(label);
        if (stream === undefined) throw new Error(`no line is called ${label}`);
        return stream;
      };
      expectObservable(diagram.run({ line, scheduler })).toBe(diagram.output);
      for (const { label, subscribed } of lines) {
        if (subscribed !== undefined) expectSubscriptions(line(label).subscriptions).toBe(subscribed);
      }
    });
  });

  // Written anew by `npx vitest run test/operators/marbles --update`.
  it('is the one in docs/marbles', async () => {
    await expect(draw(diagram)).toMatchFileSnapshot(`${folder}${diagram.operator}.svg`);
  });
});

describe('docs/marbles', () => {
  it('holds no picture that no test asserts', () => {
    const pictures = readdirSync(folder).filter((file) => file.endsWith('.svg'));
    expect(diagrams.map(({ operator }) => `${operator}.svg`)).toEqual(expect.arrayContaining(pictures));
  });
});
