/** Renders the parts of the guides that are made from declarations: `<!-- made: NAME -->` to `<!-- /made -->`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const pagesWithBlocks = ['README.md', 'docs/flows.md', 'docs/cli.md', 'llms.txt'];

/** The blocks by name. `dist`: the compiled package. `root`: its sources, whose comments are read. */
export async function renderBlocks(dist, root) {
  const load = (path) => import(pathToFileURL(join(dist, 'src', path)).href);
  const { stageKeys } = await load('flow/definition/flowFormat.js');
  const { commands } = await load('cli/commands.js');
  const errors = errorsIn(await readFile(join(root, 'src/errors/errors.ts'), 'utf8'));
  const usages = await Promise.all(Object.values(commands).map(async ({ about, load }) => ({ about, ...usageOf(await load()) })));
  const names = Object.keys(commands);
  return new Map([
    [
      'stage keys',
      table(
        ['key', 'meaning', 'default'],
        stageKeys.map(({ key, about, standard }) => [code(key), about, standard]),
      ),
    ],
    [
      'commands',
      table(
        ['command', 'use it to'],
        usages.map(({ line, about }) => [code(line), about]),
      ),
    ],
    [
      'errors',
      table(
        ['error', 'what happened', 'what to do'],
        errors.map(({ name, what, fix }) => [code(name), what, fix]),
      ),
    ],
    ['commands in a line', `- The command: \`trawler ${names.join(' | ')}\`; each has \`--help\`; \`--sandbox\` needs no key.`],
    ['errors in a line', `- Errors, below \`TrawlerError\`: ${errors.map(({ name }) => code(name)).join(', ')}.`],
  ]);
}

/** A page with its blocks made anew. */
export function withBlocks(text, blocks) {
  return text.replaceAll(/(<!-- made: ([\w ]+) -->\n)[\s\S]*?(\n<!-- \/made -->)/g, (_, begin, name, end) => {
    if (!blocks.has(name)) throw new Error(`no block is called ${name}; there are ${[...blocks.keys()].join(', ')}`);
    const around = text.startsWith('# trawler\n\n>') ? '' : '\n';
    return begin + around + blocks.get(name) + around + end;
  });
}

/** The error classes: the first paragraph of each comment, and what to do. */
function errorsIn(source) {
  const classes = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport class (\w+)/g);
  return [...classes].map(([, comment, name]) => {
    const text = comment.replaceAll(/\n \* ?/g, '\n').trim();
    const [what, fix = ''] = text.split(/\n\nWhat to do: /);
    if (fix === '') throw new Error(`${name} doesn't say what to do: add a line that begins with "What to do:" to its comment`);
    return { name, what: what.replaceAll('\n', ' ').trim(), fix: fix.replaceAll('\n', ' ').trim().replace(/\.$/, '') };
  });
}

function usageOf({ name, usage }) {
  return { line: `trawler ${name} ${usage.replace(/ ?\[options\]$/, '')}`.trim() };
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function code(text) {
  return `\`${text}\``;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(import.meta.dirname, '..');
  const blocks = await renderBlocks(join(root, 'dist'), root);
  for (const page of pagesWithBlocks) {
    const text = await readFile(join(root, page), 'utf8');
    await writeFile(join(root, page), withBlocks(text, blocks));
  }
  console.log(`blocks of ${pagesWithBlocks.join(', ')}: ${blocks.size}`);
}
