import { execFileSync } from 'node:child_process';

/** The path of that Node, which is fetched where it isn't the one that runs this. */
export function nodeOf(version, root) {
  if (process.versions.node === version || process.versions.node.startsWith(`${version}.`)) return process.execPath;
  return execFileSync('npx', ['-y', `node@${version}`, '-p', 'process.execPath'], { cwd: root, encoding: 'utf8' }).trim();
}
