import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Documented {
  readonly fields: readonly { readonly field: string; readonly text: string }[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { interfacesOf } = (await import(join(root, 'scripts/operatorReference.mjs'))) as {
  readonly interfacesOf: (text: string) => readonly (readonly [string, Documented])[];
};
const sources = ['operators', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, folder, path), 'utf8')),
);
const interfaces = new Map(sources.flatMap(interfacesOf));

/** The options of each interface that are declared with a kind of their own, and the default in the declaration. */
const declared = sources.flatMap((text) =>
  [...text.matchAll(/declareOptions<(\w+)[^(]*>\(\)\(\{/g)].flatMap(({ 1: name, 0: begin, index }) =>
    partsOf(text, index + begin.length).flatMap((part) => {
      const [, option, kind] = /^(\w+): ([\s\S]*)$/.exec(part.trim()) ?? [];
      return option === undefined ? [] : [{ name: name!, option, standard: /\.or\((.*)\),?$/.exec(kind!)?.[1] }];
    }),
  ),
);

/** The parts between commas of an object that begins at `from`, up to its closing brace. */
function partsOf(text: string, from: number): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < text.length; at++) {
    if ('({['.includes(text[at]!)) depth++;
    if (depth === 0 && (text[at] === ',' || text[at] === '}')) {
      parts.push(text.slice(start, at));
      start = at + 1;
      if (text[at] === '}') break;
    } else if (')}]'.includes(text[at]!)) depth--;
  }
  return parts;
}

/** A literal as comments write it; undefined for anything that isn't a literal. */
function literal(text: string | undefined): string | undefined {
  const plain = text?.replaceAll(/(?<=\d)_(?=\d)/g, '');
  return plain !== undefined && /^(-?[\d.]+|0o\d+|true|false|Infinity|'[^']*'|Math\.random|Date\.now)$/.test(plain) ? plain : undefined;
}

function documentedDefault({ name, option }: { readonly name: string; readonly option: string }): string | undefined {
  const text = interfaces.get(name)?.fields.find(({ field }) => field === option)?.text;
  return text === undefined ? undefined : /@default (.*)$/.exec(text)?.[1]?.trim();
}

describe('the comment of an option', () => {
  it('is read for more than a hundred options in thirty declarations', () => {
    expect(declared.length).toBeGreaterThan(100);
    expect(new Set(declared.map(({ name }) => name)).size).toBeGreaterThan(25);
    expect(declared.filter(({ standard }) => literal(standard) !== undefined).length).toBeGreaterThan(60);
  });

  it('has the default of the declaration', () => {
    const wrong = declared
      .filter(({ name, option }) => interfaces.get(name)?.fields.some(({ field }) => field === option) === true)
      .map((one) => ({ ...one, documented: documentedDefault(one) }))
      .filter(({ standard, documented = '' }) => literal(standard) !== undefined && !documented.startsWith(literal(standard)!));
    expect(wrong).toEqual([]);
  });

  it('has no literal default that the declaration lacks', () => {
    const wrong = declared
      .map((one) => ({ ...one, documented: documentedDefault(one) }))
      .filter(({ standard, documented }) => standard === undefined && literal(documented?.split(': ')[0]) !== undefined);
    expect(wrong).toEqual([]);
  });
});
