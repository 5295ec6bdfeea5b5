import { readAll, sha256 } from '../files/blocks.ts';
import { escapeHtml } from '../flow/report/format.ts';
import { reportStyle } from '../flow/report/reportStyle.ts';
import { nodeFileSystem } from '../sinks/index.ts';
import { builtFile } from './builtFile.ts';

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
  const policy =
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; img-src data:; base-uri ` +
    `'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy };
}
