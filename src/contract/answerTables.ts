import { parsedUrl } from '../../operators/kit/parsedUrl.ts';
import type { AnswerSpec } from './SearchWords.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import type { Operation } from './Operation.ts';
import type { ObjectShape } from './Shape.ts';

/** A part of a generated answer: a paragraph, a heading, or an entry of a list. They are in the order of the text. */
export interface AnswerBlock {
  /** The number of the block, from 1. Entries of a list have the same one. */
  readonly block: number;
  /** The number of the entry in its list, from 1. null outside of lists. */
  readonly entry: number | null;
  /** `paragraph`, `heading`, `list`, or another word of the service. */
  readonly type: string;
  /** The level of a heading. */
  readonly level: number | null;
  readonly title: string | null;
  readonly text: string;
  /** The first link in it. */
  readonly link: string | null;
  /** The numbers of the sources that it cites: `1, 3`. */
  readonly cites: string;
}

/** A source that a generated answer names. */
export interface AnswerSource {
  /** The number of the source, as the service counts them. */
  readonly source: number;
  readonly title: string | null;
  readonly link: string | null;
  /** The host of the link, without `www.`. */
  readonly domain: string | null;
  /** The name that the service gives it. */
  readonly name: string | null;
  readonly snippet: string | null;
  /** How many parts of the answer cite it. */
  readonly cited: number;
}

/** A citation: a part of a generated answer and a source that it cites. */
export interface AnswerCitation {
  readonly block: number;
  readonly entry: number | null;
  readonly source: number;
  readonly link: string | null;
  readonly domain: string | null;
}

/** The tables that a generated answer becomes. */
export const answerTables = { blocks: answerBlocks, sources: answerSources, citations: answerCitations } as const;

type AnswerTable = keyof typeof answerTables;

/** The parts of a generated answer. Each entry of a list is a row. Never throws: parts of an unknown form are left out. */
export function answerBlocks(data: unknown, spec?: AnswerSpec): readonly AnswerBlock[] {
  return partsOf(data, spec).map(({ block, entry, type, level, title, text, links, cites }) => ({
    block,
    entry,
    type,
    level,
    title,
    text,
    link: links[0] ?? null,
    cites: cites.join(', '),
  }));
}

/** The sources that a generated answer names, and how many of its parts cite each. */
export function answerSources(data: unknown, spec?: AnswerSpec): readonly AnswerSource[] {
  const parts = partsOf(data, spec);
  return sourcesOf(data, spec).map(({ index, title, link, domain, name, snippet }) => ({
    source: index,
    title,
    link,
    domain,
    name,
    snippet,
    cited: parts.filter(({ cites }) => cites.includes(index)).length,
  }));
}

/** The citations of a generated answer. */
export function answerCitations(data: unknown, spec?: AnswerSpec): readonly AnswerCitation[] {
  const sources = new Map(sourcesOf(data, spec).map((source) => [source.index, source]));
  return partsOf(data, spec).flatMap(({ block, entry, cites }) =>
    cites.map((source) => ({ block, entry, source, link: sources.get(source)?.link ?? null, domain: sources.get(source)?.domain ?? null })),
  );
}

interface Fields {
  readonly [field: string]: unknown;
}

interface Source {
  readonly index: number;
  readonly title: string | null;
  readonly link: string | null;
  readonly domain: string | null;
  readonly name: string | null;
  readonly snippet: string | null;
}

interface Part extends Omit<AnswerBlock, 'link' | 'cites'> {
  readonly links: readonly string[];
  readonly cites: readonly number[];
}

/** Where to look for an answer without an `AnswerSpec`. */
const usual: readonly AnswerSpec[] = [
  { blocks: 'ai_overview.text_blocks', references: 'ai_overview.references' },
  { blocks: 'text_blocks', references: 'references' },
];

function listAt(data: unknown, name: keyof AnswerSpec, spec?: AnswerSpec): readonly Fields[] {
  const lists = (spec === undefined ? usual : [spec]).map((one) => valueAt(data, one[name]));
  const found = lists.find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  return (found ?? []).filter((one): one is Fields => typeof one === 'object' && one !== null);
}

function sourcesOf(data: unknown, spec?: AnswerSpec): readonly Source[] {
  return listAt(data, 'references', spec).map((fields, position) => {
    const link = textIn(fields, 'link');
    return {
      index: typeof fields['index'] === 'number' ? fields['index'] : position + 1,
      title: textIn(fields, 'title'),
      link,
      domain: link === null ? null : domainOf(link),
      name: textIn(fields, 'source'),
      snippet: textIn(fields, 'snippet'),
    };
  });
}

function partsOf(data: unknown, spec?: AnswerSpec): readonly Part[] {
  const sources = sourcesOf(data, spec);
  const byLink = new Map(sources.map(({ link, index }) => [plainLink(link), index]));
  const partOf = (fields: Fields, block: number, entry: number | null, type: string): Part => {
    const links = linksIn(fields);
    const named = Array.isArray(fields['reference_indexes']) ? (fields['reference_indexes'] as unknown[]) : [];
    const cites = [...links.map((link) => byLink.get(plainLink(link))), ...named].filter((one) => typeof one === 'number');
    return {
      block,
      entry,
      type,
      level: typeof fields['level'] === 'number' ? fields['level'] : null,
      title: textIn(fields, 'title'),
      text: textIn(fields, 'snippet') ?? textIn(fields, 'text') ?? '',
      links,
      cites: [...new Set(cites)],
    };
  };
  return listAt(data, 'blocks', spec).flatMap((fields, index) => {
    const type = textIn(fields, 'type') ?? '';
    const entries = [fields['list'], fields['items']].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
    if (entries === undefined) return [partOf(fields, index + 1, null, type)];
    return entries
      .filter((entry): entry is Fields => typeof entry === 'object' && entry !== null)
      .map((entry, at) => partOf(entry, index + 1, at + 1, type));
  });
}

function linksIn(fields: Fields): readonly string[] {
  const listed = Array.isArray(fields['links']) ? (fields['links'] as unknown[]) : [];
  const links = [fields['link'], ...listed.map((one) => (typeof one === 'object' && one !== null ? (one as Fields)['link'] : one))];
  return links.filter((link) => typeof link === 'string' && link !== '') as string[];
}

/** A link without its fragment and a slash at the end, which don't change the page. */
function plainLink(link: string | null): string | null {
  return link === null ? null : link.replace(/#.*$/s, '').replace(/\/$/, '');
}

function domainOf(link: string): string | null {
  return parsedUrl(link)?.hostname.replace(/^www\./, '') ?? null;
}

function textIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The columns of the tables that a generated answer becomes. */
const shapes: { readonly [table in AnswerTable]: ObjectShape } = {
  blocks: {
    block: 'integer',
    entry: 'integer|null',
    type: 'string',
    level: 'integer|null',
    title: 'string|null',
    text: 'string',
    link: 'string|null',
    cites: 'string',
  },
  sources: {
    source: 'integer',
    title: 'string|null',
    link: 'string|null',
    domain: 'string|null',
    name: 'string|null',
    snippet: 'string|null',
    cited: 'integer',
  },
  citations: { block: 'integer', entry: 'integer|null', source: 'integer', link: 'string|null', domain: 'string|null' },
};

/** The tables that the answers of an operation become. Other operations have none. */
export function answerTablesOf({ spec }: Operation): readonly string[] {
  return spec.answer === undefined ? [] : Object.keys(shapes);
}

/** The same operation, but its rows are those of a table made from its answer. undefined: there is no such table. */
export function answerOperation(operation: Operation, table: string | undefined): Operation | undefined {
  const shape =
    table === undefined || operation.spec.answer === undefined ? undefined : (ownValue(shapes, table) as ObjectShape | undefined);
  if (shape === undefined) return undefined;
  return { ...operation, spec: { ...operation.spec, response: { [table!]: [shape] }, rows: table! } };
}

/** Returns a function that makes the rows of such a table from the data of a response. undefined: `table` is an ordinary list. */
export function answerRows({ spec: { answer } }: Operation, table: string | undefined): ((data: unknown) => readonly object[]) | undefined {
  if (answer === undefined || table === undefined || !Object.hasOwn(answerTables, table)) return undefined;
  return (data) => answerTables[table as AnswerTable](data, answer);
}
