import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export function table(head, rows) {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => String(row[column]).length)));
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? String(cell).padEnd(widths[column]) : String(cell).padStart(widths[column]))).join(' | ')} |`;
  return [
    line(head),
    `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}

/** Where and when figures were taken. */
export function setting(command) {
  const version = (name) => JSON.parse(readFileSync(`${root}../node_modules/${name}/package.json`, 'utf8')).version;
  const commit = execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0].model.trim()}), rxjs ${version('rxjs')}, undici ${version('undici')}.`;
}

/** Puts `text` between this bench's markers in README.md. */
export function writeSection(name, text) {
  const path = `${root}README.md`;
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const readme = readFileSync(path, 'utf8');
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`bench/README.md has no markers for ${name}`);
  writeFileSync(path, `${readme.slice(0, from + begin.length)}\n${text.trim()}\n${readme.slice(to)}`);
}

const style =
  '<style>.t,.n,.h{font:13px system-ui,sans-serif;fill:#24292f}.h{font-weight:600;font-size:15px}.n{fill:#57606a}.bar{fill:#8c959f}.ours{fill:#0969da}@media(prefers-color-scheme:dark){.t,.h{fill:#e6edf3}.n{fill:#8d96a0}.bar{fill:#6e7681}.ours{fill:#4493f8}}</style>';

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A bar chart: `bars` are { label, value, note?, ours? }. */
export function writePlot(name, title, bars) {
  const width = 720;
  const left = 230;
  const row = 26;
  const most = Math.max(...bars.map(({ value }) => value));
  const rows = bars
    .map(({ label, value, note = value.toFixed(2), ours = false }, i) => {
      const y = 48 + i * row;
      const length = Math.max(2, ((width - left - 90) * value) / most);
      return `<text x="${left - 10}" y="${y + 13}" text-anchor="end" class="t">${escape(label)}</text><rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="18" rx="3" class="${ours ? 'ours' : 'bar'}"/><text x="${(left + length + 8).toFixed(1)}" y="${y + 13}" class="n">${escape(note)}</text>`;
    })
    .join('\n');
  const height = 60 + bars.length * row;
  writeSvg(name, title, { width, height, content: rows });
}

/** Bar charts side by side: `panels` are { title, bars }, whose bars are those of `writePlot`, with the same labels. */
export function writePanels(name, title, panels) {
  const [left, panel, gap, row] = [200, 130, 62, 26];
  const labels = panels[0].bars.map(
    ({ label }, i) => `<text x="${left - 10}" y="${79 + i * row}" text-anchor="end" class="t">${escape(label)}</text>`,
  );
  const drawn = panels.map(({ title: of, bars }, index) => {
    const x = left + index * (panel + gap);
    const most = Math.max(...bars.map(({ value }) => value));
    const each = bars.map(({ value, note = value.toFixed(2), ours = false }, i) => {
      const y = 66 + i * row;
      const length = Math.max(2, (panel * value) / most);
      return `<rect x="${x}" y="${y}" width="${length.toFixed(1)}" height="18" rx="3" class="${ours ? 'ours' : 'bar'}"/><text x="${(x + length + 6).toFixed(1)}" y="${y + 13}" class="n">${escape(note)}</text>`;
    });
    return [`<text x="${x}" y="54" class="t">${escape(of)}</text>`, ...each].join('\n');
  });
  const height = 78 + panels[0].bars.length * row;
  writeSvg(name, title, { width: left + panels.length * (panel + gap), height, content: [...labels, ...drawn].join('\n') });
}

function writeSvg(name, title, { width, height, content }) {
  mkdirSync(`${root}plots`, { recursive: true });
  writeFileSync(
    `${root}plots/${name}.svg`,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
${style}
<text x="14" y="26" class="h">${escape(title)}</text>
${content}
</svg>
`,
  );
}
