// Does everything that comes before a release, but doesn't publish: it prints the command that does. With `--tag v0.2.0`
// it is the CI job of that tag, which publishes next.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { npm } from './npm.mjs';
import { releaseFaults } from './releaseFaults.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { tag } = parseArgs({ options: { tag: { type: 'string' } } }).values;
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const { name, version } = manifest;
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();

const faults = releaseFaults({
  manifest,
  changelog: readFileSync(`${root}CHANGELOG.md`, 'utf8'),
  branch: git('branch', '--show-current'),
  changed: git('status', '--porcelain').split('\n').filter(Boolean),
  tags: git('tag', '--list').split('\n'),
  tag,
});
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
    execFileSync(...npm(...step), { cwd: root, stdio: 'inherit' });
  } catch {
    console.error(`\nnpm ${step.join(' ')} failed; nothing was published.`);
    process.exit(1);
  }
}

if (tag === undefined)
  console.log(`
${name} ${version} is ready, and nothing was published. To do it, tag the commit:

  git tag -a v${version} -m 'v${version}' && git push origin main v${version}

The workflow of that tag runs all of this again and publishes.`);
