import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** What a page has between `<!-- measured: NAME -->` and `<!-- /measured -->`. With UPDATE_FIGURES=1, `figures` are written there. */
export async function measured(name: string, figures: string, path: string): Promise<string | undefined> {
  const guide = fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  const text = await readFile(guide, 'utf8');
  const block = new RegExp(`(<!-- measured: ${name} -->\n)([\\s\\S]*?)(\n<!-- /measured -->)`);
  if (process.env['UPDATE_FIGURES'] === undefined) return block.exec(text)?.[2];
  await writeFile(
    guide,
    text.replace(block, (_, before, __, after) => `${before}${figures}${after}`),
  );
  return figures;
}

/** A table as the guide has it. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** The median, and where the middle 80 % lie. */
export function spreadOf(numbers: readonly number[]): { readonly median: number; readonly low: number; readonly high: number } {
  const sorted = numbers.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { median: at(0.5), low: at(0.1), high: at(0.9) };
}

export function percent(share: number, digits: number = 0): string {
  return `${(Math.round(share * 100 * 10 ** digits) / 10 ** digits || 0).toFixed(digits)} %`;
}
