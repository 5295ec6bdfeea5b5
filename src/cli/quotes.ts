import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Flow, Quote } from '../flow/index.ts';
import { countOf, formatSum } from '../flow/report/index.ts';
import { UsageError } from './Command.ts';

/** Where the quotes of a flow are: beside it. */
export function quoteFile({ folder }: Pick<Flow, 'folder'>, id: string): string {
  return join(folder, '.trawler', 'quotes', `${id}.json`);
}

export function isQuoteId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}

/** Keeps a quote for `trawler run --quote`. */
export async function keepQuote(flow: Flow, quote: Quote): Promise<void> {
  const path = quoteFile(flow, quote.id);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, JSON.stringify(quote, undefined, 2));
}

/** The quote of this id that was made for a flow in this folder. */
export async function readQuote(flow: Flow, id: string): Promise<Quote> {
  const hint = 'trawler plan FLOW --quote makes one';
  if (!isQuoteId(id)) throw new UsageError(`--quote is an id such as 3f09c2a81b7d, not '${id}'.`, { hint });
  try {
    return JSON.parse(await readFile(quoteFile(flow, id), 'utf8')) as Quote;
  } catch {
    throw new UsageError(`There is no quote ${id} for a flow in ${flow.folder}.`, { hint });
  }
}

/** `Quote 3f09c2a81b7d: at most 616 requests, 12.32 in money.` */
export function renderQuote({ id, most, money }: Quote): string {
  if (most === undefined) return `Quote ${id}: nothing says where the flow ends.`;
  return `Quote ${id}: at most ${countOf(most, 'request')}${money === undefined ? '' : `, ${formatSum(money)} in money`}.`;
}
