// All that comes before a release, and nothing of it: stops before publishing and prints the commands that do it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();
const changelog = readFileSync(`${root}CHANGELOG.md`, 'utf8').split('\n');

const faults = faultsOf();
if (faults.length > 0) {
  console.error(`${name} ${version} can't be released:\n${faults.map((fault) => `  ${fault}\n`).join('')}`);
  process.exit(1);
}

// Provenance is a statement of the machine that builds, so only CI can sign it: what is tried here is the rest.
const publish = ['publish', '--provenance', '--access', 'public'];
const steps = [
  ['test'], // builds, too
  ['run', 'package'],
  [...publish, '--dry-run'],
];
for (const step of steps) {
  console.log(`\n> npm ${step.join(' ')}`);
  try {
    execFileSync('npm', step, { cwd: root, stdio: 'inherit' });
  } catch {
    console.error(`\nnpm ${step.join(' ')} failed; nothing was published.`);
    process.exit(1);
  }
}

console.log(`
${name} ${version} is ready, and nothing was published. To do it, tag the commit:

  git tag -a v${version} -m 'v${version}' && git push origin main v${version}

and, in a CI job on that tag that may ask for an identity token:

  npm ci && npm run build && npm ${publish.join(' ')}`);

/** Why this can't be released as it is, as sentences. */
function faultsOf() {
  const found = [];
  const branch = git('branch', '--show-current');
  if (branch !== 'main') found.push(`releases are made from main; this is ${branch || 'no branch'}`);
  const changed = git('status', '--porcelain').split('\n').filter(Boolean);
  if (changed.length > 0) found.push(`the tree has ${changed.length} files that aren't committed, such as ${changed[0].slice(3)}`);
  if (git('tag', '--list', `v${version}`) !== '') found.push(`v${version} is tagged already: a new version goes into package.json`);
  const heading = changelog.find((line) => line.split(' ', 2).join(' ') === `## ${version}`);
  if (heading === undefined) found.push(`CHANGELOG.md has no part '## ${version}'`);
  else if (!/\(\d{4}-\d{2}-\d{2}\)$/.test(heading))
    found.push(`CHANGELOG.md says no day: '${heading}' becomes '## ${version} (2026-01-31)'`);
  return found;
}
