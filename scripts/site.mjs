/** README, guides and reference as plain HTML in out/site; with the reference by TypeDoc where it was built. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { highlight } from './highlight.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const site = process.argv[2] ?? join(root, 'out/site');
const typedoc = join(root, 'reference/out');
const copied = ['docs/marbles', 'docs/plan.svg', 'docs/show.png', 'llms.txt', 'LICENSE'];
const searched = []; // { url, page, part, text }: what the search looks through

/** @type {readonly (readonly [string, readonly string[]])[]} */
const guides = [
  ['Begin', ['README.md', 'docs/README.md', 'docs/should-i-use-this.md', 'docs/getting-started.md', 'examples/README.md']],
  ['Pipes', ['operators', 'limits-and-cost', 'back-pressure', 'past-the-cap', 'how-complete', 'files'].map(inDocs)],
  ['Flows', ['flows', 'destinations', 'resuming', 'fresh', 'publishing', 'show', 'scale', 'cli'].map(inDocs)],
  ['More', ['store', 'your-own-service', 'sandbox', 'testing'].map(inDocs)],
  ['Moving here', ['from-a-loop', 'from-crawlee', 'from-dlt'].map(inDocs)],
  ['Reference', ['docs/descriptions.md', 'docs/reference/README.md', 'docs/reference/operators.md', 'docs/reference/functions.md']],
  ['Project', ['docs/versions.md', 'bench/README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md']],
];
const shortTitles = { 'README.md': 'Overview', 'docs/README.md': 'All guides', 'docs/reference/README.md': 'The 21 operations' };

const listed = guides.flatMap(([, paths]) => paths).filter((path) => existsSync(join(root, path)));
const markdown = (await readdir(join(root, 'docs'), { recursive: true })).filter((path) => path.endsWith('.md'));
const pages = [...new Set([...listed, ...markdown.map((path) => `docs/${path.replaceAll('\\', '/')}`)])];
const texts = new Map();
for (const path of pages) texts.set(path, await readFile(join(root, path), 'utf8'));
const examples = 'examples/README.md';
texts.set(examples, `${texts.get(examples) ?? '# Examples\n'}\n${await listExamples()}`);

await rm(site, { recursive: true, force: true });
for (const path of texts.keys()) await write(htmlPath(path), renderPage(path));
await write('style.css', style());
await write('site.js', siteScript());
await write('search.js', `window.searched = ${JSON.stringify(searched)};\n`);
for (const path of copied) await copy(path);
const withTypes = existsSync(join(typedoc, 'index.html'));
if (withTypes) await cp(typedoc, join(site, 'types'), { recursive: true });
console.log(
  `${site}: ${texts.size} pages${withTypes ? ', with types' : '; run `npm --prefix reference run build` before to have the types too'}`,
);

function inDocs(name) {
  return `docs/${name}.md`;
}

/** The page of a document: a README is the index of its folder. */
function htmlPath(path) {
  return path.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

function titleOf(path) {
  return shortTitles[path] ?? /^# (.+)$/m.exec(texts.get(path))?.[1] ?? path;
}

/** The code of all examples, for their page. */
async function listExamples() {
  const names = (await readdir(join(root, 'examples'))).filter((name) => /\.[cm]js$/.test(name)).sort();
  const codes = await Promise.all(names.map((name) => readFile(join(root, 'examples', name), 'utf8')));
  const parts = names.map((name, i) => {
    const [, about = '', code = codes[i]] = /^\/\/ (.*)\n([\s\S]*)$/.exec(codes[i]) ?? [];
    return `## ${name}\n\n${about}\n\n\`\`\`js\n${code.trim()}\n\`\`\``;
  });
  return parts.join('\n\n');
}

function renderPage(path) {
  const depth = path.split('/').length - 1;
  const up = '../'.repeat(depth);
  const taken = new Map();
  const parts = []; // the headings, for the contents of the page and the search
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth: level }) {
        const inner = this.parser.parseInline(tokens);
        const plain = unescapeHtml(inner.replaceAll(/<[^>]*>/g, ''));
        const id = anchorOf(plain, taken);
        parts.push({ id, level, text: plain });
        return `<h${level} id="${id}">${inner}${level === 1 ? '' : `<a class="anchor" href="#${id}" aria-label="link to this part">#</a>`}</h${level}>\n`;
      },
      link({ href, tokens }) {
        const to = leadsTo(path, href);
        const text = this.parser.parseInline(tokens);
        return to === undefined ? text : `<a href="${escapeHtml(to)}">${text}</a>`;
      },
      code({ text, lang = '' }) {
        const html = highlight(text, lang, escapeHtml);
        return `<div class="code"><button type="button" class="copy">Copy</button><pre tabindex="0"><code>${html}\n</code></pre></div>\n`;
      },
      codespan({ text }) {
        // A browser would break an option behind its hyphens.
        const isOption = /^--[a-z-]+( [A-Z]+)?$/.test(text);
        return `<code${isOption ? ' class="option"' : ''}>${escapeHtml(text)}</code>`;
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      table(token) {
        const headings = token.header.map((cell) => cell.text);
        const row = (cells, tag) =>
          `<tr>${cells.map((cell, i) => `<${tag} data-head="${escapeHtml(headings[i].replaceAll('`', ''))}">${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const head = headings.some((text) => text !== '') ? `<thead>${row(token.header, 'th')}</thead>` : '';
        // On a phone many columns of words are read below each other; figures are scrolled, since they are compared.
        const many = headings.length > 2 && !token.align.includes('right') ? ' many' : '';
        return `<div class="wide${many}"><table>${head}<tbody>${token.rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table></div>\n`;
      },
    },
  });
  const body = marked.parse(texts.get(path), { async: false });
  const title = titleOf(path);
  index(path, title, body);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(path === 'README.md' ? 'trawler' : `${title} · trawler`)}</title>
<link rel="stylesheet" href="${up}style.css">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<nav aria-label="Documents">
<a class="home" href="${up}index.html">trawler</a>
<div class="search" role="search"><input type="search" placeholder="Search  (press /)" aria-label="Search the documents" data-up="${up}"><ol hidden></ol></div>
<details open><summary>Contents</summary>
${navigation(path, up)}
</details>
</nav>
<main id="content">
${body}</main>
${pageContents(parts)}
<script src="${up}site.js" defer></script>
</body>
</html>
`;
}

/** The parts of a long page, beside it. */
function pageContents(parts) {
  const listed = parts.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < 3) return '';
  const links = listed.map(({ id, level, text }) => `<li class="level${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></aside>`;
}

/** Each part of a page with its text, for the search. */
function index(path, title, body) {
  for (const part of body.split(/(?=<h[1-3] id=)/)) {
    const [, id, heading] = /^<h[1-3] id="([^"]*)">([\s\S]*?)<\/h[1-3]>/.exec(part) ?? [];
    if (id === undefined) continue;
    const plain = (html) =>
      unescapeHtml(html.replaceAll(/<a class="anchor"[\s\S]*?<\/a>|<button[\s\S]*?<\/button>/g, '').replaceAll(/<[^>]*>/g, ' '))
        .replaceAll(/\s+/g, ' ')
        .trim();
    const text = plain(part.slice(part.indexOf('</h')));
    searched.push({ url: `${htmlPath(path)}#${id}`, page: title, part: plain(heading), text: text.replace(/^\S* ?/, '').slice(0, 3000) });
  }
}

function navigation(path, up) {
  const link = (target, title) =>
    `<li><a href="${up}${target}"${target === htmlPath(path) ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  return guides
    .map(([group, paths]) => {
      const links = paths.filter((target) => texts.has(target)).map((target) => link(htmlPath(target), titleOf(target)));
      if (group === 'Reference' && existsSync(join(typedoc, 'index.html'))) links.push(link('types/index.html', 'Types of every export'));
      return `<h2>${group}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
    })
    .join('\n');
}

/** A link between documents as a link between pages; undefined where it leads to what isn't on the site. */
function leadsTo(from, href) {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [path, anchor] = href.split('#');
  const target = posix.normalize(posix.join(dirname(from), path)).replace(/\/$/, '');
  const marble = /^docs\/marbles\/(\w+)\.svg$/.exec(target);
  if (marble !== null) return `${between(from, 'docs/reference/operators.md')}#${marble[1].toLowerCase()}`;
  const example = /^examples\/([^/]+)\.([cm]js)$/.exec(target);
  if (example !== null) return `${between(from, examples)}#${example[1]}${example[2]}`;
  const page = [target, `${target}/README.md`].find((one) => texts.has(one));
  if (page !== undefined) return `${between(from, page)}${anchor === undefined ? '' : `#${anchor}`}`;
  return copied.some((one) => target === one || target.startsWith(`${one}/`)) ? posix.relative(dirname(from), target) : undefined;
}

function between(from, to) {
  return posix.relative(dirname(htmlPath(from)), htmlPath(to));
}

/** As GitHub makes them, so that a link means the same here and there. */
function anchorOf(text, taken) {
  const plain = unescapeHtml(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const before = taken.get(plain) ?? 0;
  taken.set(plain, before + 1);
  return before === 0 ? plain : `${plain}-${before}`;
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function unescapeHtml(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

async function write(path, text) {
  await mkdir(dirname(join(site, path)), { recursive: true });
  await writeFile(join(site, path), text);
}

async function copy(path) {
  if (existsSync(join(root, path))) await cp(join(root, path), join(site, path), { recursive: true });
}

function style() {
  return `:root {
  --back: #fff; --text: #1d2329; --soft: #5a6570; --line: #dde2e7; --panel: #f5f7f9; --accent: #0b6394;
  --string: #1a6b3c; --keyword: #8431a8; --number: #a04a00;
  color-scheme: light dark;
  font: 100%/1.6 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root { --back: #14181c; --text: #e3e8ec; --soft: #9aa7b3; --line: #303942; --panel: #1c2228; --accent: #6fbdec; --string: #85cf9c; --keyword: #d4a2f0; --number: #f0b27a; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text); overflow-wrap: break-word; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 0.5rem; padding: 0.5rem; background: var(--back); z-index: 1; }
nav { padding: 0.75rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--panel); font-size: 0.94rem; }
nav .home { font-weight: 700; font-size: 1.1rem; text-decoration: none; color: inherit; }
nav h2 { margin: 1.1rem 0 0.2rem; font-size: 0.8rem; font-weight: 600; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.3rem 0; color: inherit; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
nav li a[aria-current] { color: var(--accent); font-weight: 600; }
nav summary { cursor: pointer; padding: 0.4rem 0; color: var(--soft); }
main { padding: 0.5rem 1.25rem 4rem; max-width: 54rem; margin: 0 auto; }
h1, h2, h3 { line-height: 1.25; }
h1 { font-size: 1.9rem; }
h2 { margin-top: 2.4rem; font-size: 1.35rem; }
h3 { margin-top: 1.8rem; font-size: 1.1rem; }
.anchor { margin-left: 0.4em; color: var(--soft); text-decoration: none; opacity: 0; font-weight: 400; }
:is(h2, h3):hover .anchor, .anchor:focus { opacity: 1; }
code { font: 0.88em/1.5 ui-monospace, SFMono-Regular, Consolas, 'Liberation Mono', monospace; }
:not(pre) > code { padding: 0.1em 0.3em; border-radius: 3px; background: var(--panel); }
.option { white-space: nowrap; }
.code { position: relative; }
.copy { position: absolute; top: 0.45rem; right: 0.45rem; padding: 0.15rem 0.6rem; font: inherit; font-size: 0.78rem; color: var(--soft); background: var(--back); border: 1px solid var(--line); border-radius: 4px; cursor: pointer; opacity: 0.75; }
.code:hover .copy, .copy:focus-visible { opacity: 1; }
.code .comment { color: var(--soft); font-style: italic; }
.code .string { color: var(--string); }
.code .keyword { color: var(--keyword); }
.code .number { color: var(--number); }
.code .key { color: var(--accent); }
.search { position: relative; margin: 0.6rem 0 0.2rem; }
.search input { width: 100%; padding: 0.4rem 0.6rem; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; }
.search ol { position: fixed; z-index: 2; left: 1.25rem; width: min(34rem, calc(100vw - 2.5rem)); max-height: 70vh; overflow-y: auto; margin: 0.3rem 0 0; padding: 0.3rem; list-style: none; background: var(--back); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 6px 24px #0003; }
.search li a { padding: 0.45rem 0.6rem; border-radius: 4px; line-height: 1.35; }
.search li a:is(:hover, :focus) { background: var(--panel); text-decoration: none; }
.search li small { display: block; color: var(--soft); }
aside { display: none; }
pre { padding: 0.85rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); }
pre code { font-size: 0.8rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.93rem; line-height: 1.45; }
th, td { padding: 0.4rem 0.9rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: normal; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
td { min-width: 6rem; }
td code { white-space: nowrap; }
img { max-width: 100%; height: auto; }
@media (max-width: 40rem) {
  .code pre { padding-top: 2.6rem; }
  .many thead { display: none; }
  .many :is(table, tbody, tr, td) { display: block; }
  .many tr { padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  .many td { padding: 0.1rem 0; border: 0; overflow-wrap: anywhere; }
  .many td:empty { display: none; }
  .many td:not(:first-child, [data-head=''])::before { content: attr(data-head) ': '; color: var(--soft); }
  td code { white-space: normal; font-size: 0.8rem; }
  td:not(:first-child) { min-width: 0; overflow-wrap: anywhere; }
}
@media (min-width: 60.01rem) {
  body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  nav { position: sticky; z-index: 1; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); padding: 1.25rem; }
  nav summary { display: none; }
  nav li a { padding: 0.18rem 0; }
  main { padding: 1.25rem 1.5rem 5rem 2.5rem; margin: 0; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
@media (min-width: 76rem) {
  body { grid-template-columns: 16rem minmax(0, 54rem) minmax(11rem, 1fr); }
  aside { display: block; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; font-size: 0.86rem; }
  aside h2 { margin: 0 0 0.4rem; font-size: 0.8rem; color: var(--soft); }
  aside ul { list-style: none; margin: 0; padding: 0; }
  aside a { display: block; padding: 0.15rem 0; color: inherit; text-decoration: none; }
  aside a:hover { text-decoration: underline; }
  aside .level3 { padding-left: 0.9rem; }
}
`;
}

/** What a page does in the browser: folds its navigation on a phone, copies code, searches. */
function siteScript() {
  return `const folded = document.querySelector('nav details');
const narrow = matchMedia('(max-width: 60rem)');
const fold = () => { folded.open = !narrow.matches; };
fold();
narrow.addEventListener('change', fold);

document.addEventListener('click', async ({ target }) => {
  if (!target.matches('.copy')) return;
  const code = target.nextElementSibling;
  try {
    await navigator.clipboard.writeText(code.textContent.trimEnd());
  } catch { // a page from a file may not write to the clipboard: select the code instead
    getSelection().selectAllChildren(code);
    document.execCommand('copy');
  }
  target.textContent = 'Copied';
  setTimeout(() => { target.textContent = 'Copy'; }, 1500);
});

const input = document.querySelector('.search input');
const list = document.querySelector('.search ol');
let loading;
const load = () => loading ??= new Promise((resolve, reject) => {
  const script = document.createElement('script');
  script.src = input.dataset.up + 'search.js';
  script.onload = resolve;
  script.onerror = reject;
  document.head.append(script);
});
const show = async () => {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean).map(stemOf);
  list.replaceChildren();
  list.hidden = words.length === 0;
  if (list.hidden) return;
  await load();
  const found = searched
    .map((one) => ({ one, score: scoreOf(one, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 12);
  list.replaceChildren(...found.map(({ one }) => entryOf(one, words)));
  if (found.length === 0) list.append(Object.assign(document.createElement('li'), { textContent: 'Nothing found' }));
};
function stemOf(word) { // 'resume' also finds 'resuming'
  return word.length < 5 ? word : word.replace(/(ing|ed|es|s|e)$/, '');
}
function scoreOf({ page, part, text }, words) {
  let score = 0;
  for (const word of words) {
    const heading = part.toLowerCase();
    const points = (stemOf(heading) === word ? 50 : 0) + (heading.includes(word) ? 20 : 0) + (page.toLowerCase().includes(word) ? 5 : 0) + Math.min(4, text.toLowerCase().split(word).length - 1);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}
function entryOf({ url, page, part, text }, words) {
  const link = Object.assign(document.createElement('a'), { href: input.dataset.up + url, textContent: part === page ? page : page + ': ' + part });
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
  link.append(Object.assign(document.createElement('small'), { textContent: (at > 0 ? '…' : '') + text.slice(at, at + 120) + '…' }));
  const item = document.createElement('li');
  item.append(link);
  return item;
}
input.addEventListener('input', show);
input.addEventListener('focus', load, { once: true });
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    if (narrow.matches) scrollTo(0, 0);
    input.focus();
  } else if (event.key === 'Escape') {
    input.value = '';
    list.hidden = true;
    input.blur();
  } else if (event.key === 'Enter' && document.activeElement === input) list.querySelector('a')?.click();
});
document.addEventListener('click', ({ target }) => { if (!target.closest('.search')) list.hidden = true; });
`;
}
