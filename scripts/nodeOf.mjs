import { execFileSync } from 'node:child_process';
import { npm } from './npm.mjs';

/** The path of a Node of this version. It is fetched if it isn't the one that runs this. */
export function nodeOf(version, root) {
  if (process.versions.node === version || process.versions.node.startsWith(`${version}.`)) return process.execPath;
  return execFileSync(...npm('exec', '--yes', '--', `node@${version}`, '-p', 'process.execPath'), { cwd: root, encoding: 'utf8' }).trim();
}
