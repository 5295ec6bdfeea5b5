import { readAll, sha256 } from '../files/blocks.ts';
import { escapeHtml } from '../flow/report/format.ts';
import { reportStyle } from '../flow/report/reportStyle.ts';
import { nodeFileSystem } from '../sinks/index.ts';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the build puts files, seen from a folder above this file: in the published package, in a build, and in a clone. */
const folders = ['.', 'bundle', 'dist/bundle'];

/** A file of the build that isn't imported, such as the script of the page. */
function builtFile(name: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = folders.map((one) => join(folder, one, name)).find((path) => nodeFileSystem.stat(path) !== undefined);
    if (found !== undefined) return found;
    if (folder === dirname(folder)) throw new Error(`${name} was not built: run npm run build`);
  }
}

/** The page as one document, and the policy under which the browser may use it: its own script and style, and nothing from elsewhere. */
export function pageHtml(program: string): { readonly html: string; readonly policy: string } {
  const [script, own] = ['page.js', 'page.css'].map((name) => readAll(builtFile(`page/${name}`), nodeFileSystem).toString()) as [
    string,
    string,
  ];
  const style = `${reportStyle}\n${own}`;
  const hash = (text: string): string => `'sha256-${sha256().update(text).digest('base64')}'`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="program" content="${escapeHtml(program)}">
<title>trawler</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<script type="module">${script}</script>
</body>
</html>
`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy };
}
