// Uses the built package on each Node that is supported: a crawl over the embedded service, into files.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24', '26'];

execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
let rows;
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), 'trawler-node-'));
  try {
    const node = version === process.versions.node.split('.')[0] ? [process.execPath] : ['npx', '-y', `node@${version}`];
    const call = (...args) =>
      execFileSync(node[0], [...node.slice(1), ...args], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    const exact = call('--version').trim();
    call('dist/src/cli/main.js', 'run', 'examples/flows/coffee.json', '--sandbox', '--quiet', '--out', folder);
    const lines = readFileSync(join(folder, 'reviews.jsonl'), 'utf8').split('\n').length - 1;
    rows ??= lines;
    if (lines === 0 || lines !== rows) throw new Error(`Node ${exact} wrote ${lines} reviews, where the first wrote ${rows}`);
    console.log(`Node ${exact.padEnd(10)} ${lines} reviews`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
