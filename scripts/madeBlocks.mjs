/** Renders the parts of the guides that are made from declarations: `<!-- made: NAME -->` to `<!-- /made -->`. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { descriptionTables } from './descriptionTables.mjs';
import { code, table } from './markdown.mjs';

export const pagesWithBlocks = [
  'docs/when-it-stops.md',
  'docs/flows.md',
  'docs/flow-keys.md',
  'docs/files.md',
  'docs/cli.md',
  'docs/reference/services.md',
  'docs/reference/search-services.md',
  'docs/vendors.md',
  'llms.txt',
];

/** The guides, in the order in which llms.txt and README.md name them. */
export const guides = [
  'should-i-use-this',
  'start',
  'flows',
  'flow-keys',
  'your-own-service',
  'vendors',
  'past-the-cap',
  'fresh',
  'cost',
  'when-it-stops',
  'files',
  'in-code',
  'every-night',
  'cli',
].map((name) => `docs/${name}.md`);

/** The keys of a stage that most flows need, and no others. */
const firstKeys = ['call', 'with', 'each', 'pages', 'to', 'by', 'keep', 'where', 'limit', 'onError'];

/** The blocks by name. `dist`: the compiled package. `root`: its sources, whose comments are read. */
export async function renderBlocks(dist, root) {
  const loadAny = (path) => import(pathToFileURL(join(dist, path)).href);
  const load = (path) => loadAny(join('src', path));
  const { leafWords, dollarWords } = await load('contract/language/operationFields.js');
  const { flow, stage, inner } = (await load('flow/definition/flowKeys.js')).keyTexts();
  const { commands } = await load('cli/commands.js');
  const { fileFormats } = await load('sinks/formats/fileFormats.js');
  const [descriptions, ofSearch] = await descriptionTables(root, loadAny);
  const errors = errorsIn(await readFile(join(root, 'src/errors/errors.ts'), 'utf8'));
  const usages = await Promise.all(Object.values(commands).map(async ({ about, load }) => ({ about, ...usageOf(await load()) })));
  const names = Object.keys(commands);
  const texts = await Promise.all(guides.map((page) => readFile(join(root, page), 'utf8')));
  return new Map([
    ['flow keys', keyTable(flow)],
    ['first stage keys', keyTable(firstKeys.map((name) => stage.find(({ key }) => key === name)))],
    ['stage keys', keyTable(stage)],
    ['inner keys', keyTable(inner)],
    ['description fields', descriptions],
    ['search fields', ofSearch],
    ['vendors', await vendorTable(load)],
    ['flows of vendors', await vendorFlows(load)],
    [
      'shape words',
      table(
        ['word', 'what it stands for'],
        Object.entries({ ...leafWords, ...dollarWords }).map(([word, about]) => [code(word), about]),
      ),
    ],
    ['formats', table(['ending', 'also with', 'several tables', '`trawler schema --for`'], Object.values(fileFormats).map(formatRow))],
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
    ['guides', texts.map((text, at) => `- [${titleOf(text)}](${guides[at]}): ${contentsOf(text)}`).join('\n')],
    ['errors in a line', `- Errors, below \`TrawlerError\`: ${errors.map(({ name }) => code(name)).join(', ')}.`],
  ]);
}

const titleOf = (text) => /^# (.+)$/m.exec(text)[1];

/** The headings of a page. */
function contentsOf(text) {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^## (.+)$/gm)];
  return headings.map((match) => match[1]).join('; ');
}

/** `src/cli/commands.ts`: the commands in the files of `src/cli/commands`, in the order of the overview. */
export async function renderCommands(root) {
  const folder = join(root, 'src/cli/commands');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts'));
  const found = await Promise.all(files.map(async (file) => commandIn(file, await readFile(join(folder, file), 'utf8'))));
  const entries = found
    .filter((one) => one !== undefined)
    .toSorted((one, other) => one.rank - other.rank)
    .map(
      ({ name, about, file, variable }) => `  ${name}: {
    about: '${about}',
    load: async () => (await import('./commands/${file}')).${variable},
  },`,
    );
  return `// Made from the files of commands/ by \`npm run docs\`: change those, not this.
import type { Command } from './Command.ts';

/** A command in the overview; the rest of it is loaded when it is called. */
interface CommandEntry {
  readonly about: string;
  readonly load: () => Promise<Command>;
}

export const commands: { readonly [name: string]: CommandEntry } = {
${entries.join('\n')}
};
`;
}

function commandIn(file, source) {
  const match = /export const (\w+): Command = \{\n {2}name: '(\w+)',\n {2}overview: \[(\d+), '([^'\n]*)'\],/.exec(source);
  if (match === null) return undefined;
  const [, variable, name, rank, about] = match;
  return { file, variable, name, rank: Number(rank), about };
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

function formatRow({ endings, text, tables, load }) {
  const databases = Object.keys(load).map(code);
  return [endings.map(code).join(', '), text ? '`.gz`, `.zst`' : '', tables ? 'yes' : '', databases.join(', ')];
}

function usageOf({ name, usage }) {
  return { line: `trawler ${name} ${usage.replace(/ ?\[options\]$/, '')}`.trim() };
}

function keyTable(keys) {
  const rows = keys.map(({ key, about, standard }) => [code(key), about, standard]);
  return table(['key', 'meaning', 'default'], rows);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(import.meta.dirname, '..');
  await writeFile(join(root, 'src/cli/commands.ts'), await renderCommands(root));
  const blocks = await renderBlocks(join(root, 'dist'), root);
  for (const page of pagesWithBlocks) {
    const text = await readFile(join(root, page), 'utf8');
    await writeFile(join(root, page), withBlocks(text, blocks));
  }
  console.log(`blocks of ${pagesWithBlocks.join(', ')}: ${blocks.size}`);
}

/** Which operations each vendor has, with what a request costs, and whether where its pages lead is a guess. */
async function vendorTable(load) {
  const vendors = await (await load('services/index.js')).allVendors();
  const { operations } = await load('search/index.js');
  const cell = (vendor, name) => {
    const spec = vendor.operations[name]?.spec;
    if (spec === undefined) return '';
    const { row, default: usual = row === undefined ? '?' : `${row} a row`, [name]: price = usual } = vendor.price ?? {};
    return `${price}${spec.paging.kind === 'none' ? '' : ', pages'}${spec.ownPaging?.undocumented === true ? ', guess' : ''}`;
  };
  const rows = Object.keys(operations).map((name) => [code(name), ...vendors.map((vendor) => cell(vendor, name))]);
  return table(['operation', ...vendors.map(({ name, price }) => `${name}, ${price.unit}`)], rows);
}

/** Which vendors can run each of the flows to start from. */
async function vendorFlows(load) {
  const vendors = await (await load('services/index.js')).allVendors();
  const { likedFlows, faultsWith } = await load('cli/commands/init.js');
  const rows = likedFlows().map(async ({ value }) => {
    const faults = await Promise.all(vendors.map((vendor) => faultsWith(value, vendor)));
    return [code(value), vendors.filter((_, at) => faults[at].length === 0).map(({ name }) => name).join(', ')]; // prettier-ignore
  });
  return table(['flow', 'runs with'], await Promise.all(rows));
}
