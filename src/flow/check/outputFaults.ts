import { dirname, isAbsolute, normalize } from 'node:path';
import { endingsInWords, fileKindOf, nodeFileSystem } from '../../sinks/index.ts';
import { resolvePath } from '../../files/resolvePath.ts';
import { type FlowDefinition, listed } from '../definition/flowFormat.ts';
import type { FlowFault } from './CheckFlowOptions.ts';

/** Files and folders that a run makes for itself. */
const own = /^(failures\.jsonl|datapackage\.json|report\.html|\.trawler|changes)([/\\].*)?$/i;

/** The faults of the files that stages write to. With `outDir`, links are checked too. */
export function outputFaults(flow: FlowDefinition, outDir: string | undefined): readonly FlowFault[] {
  const faults: FlowFault[] = [];
  const taken = new Map<string, string>();
  /** The names that files have when they are finished and while they are written. */
  const names = new Map<string, string>();
  /** The folders that they are in, each with one of its files. */
  const folders = new Map<string, string>();
  for (const [stage, { to }] of Object.entries(flow.stages)) {
    listed(to).forEach((file, index) => {
      const at = ['stages', stage, 'to', ...(Array.isArray(to) ? [index] : [])];
      const message = faultOf(file, outDir);
      if (message !== undefined) {
        faults.push({ at, message });
        return;
      }
      const path = normalize(file).toLowerCase(); // the same file on systems that ignore case
      const above = foldersOf(path);
      const own = [path, `${path}.part`];
      const others = [...own.flatMap((name) => [names.get(name), folders.get(name)]), ...above.map((folder) => names.get(folder))];
      const within = others.find((other) => other !== undefined && other !== path);
      if (within !== undefined) faults.push({ at, message: `'${file}' and '${within}' can't both be: one is the folder of the other` });
      const other = taken.get(path);
      if (other !== undefined && (other === stage || fileKindOf(file)?.tables !== true))
        faults.push({
          at,
          message: `'${file}' is ${other === stage ? 'named twice' : `written by stage ${other} already: two stages can't share a file, unless it is a database`}`,
        });
      taken.set(path, stage);
      for (const name of own) names.set(name, path);
      for (const folder of above) folders.set(folder, path);
    });
  }
  return faults;
}

/** The folders that a path is in, the innermost first. */
function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder);
  return folders;
}

function faultOf(file: string, outDir: string | undefined): string | undefined {
  if (file.includes('\0')) return `${JSON.stringify(file)} holds a NUL, which no path can`;
  if (isAbsolute(file) || /^[A-Za-z]:/.test(file)) return `'${file}' is absolute: files stay in the output folder`;
  if (file.split(/[/\\]/).includes('..')) return `'${file}' climbs out with '..': files stay in the output folder`;
  if (own.test(normalize(file))) return `'${file}' is a name that a run needs for itself`;
  if (fileKindOf(file) === undefined) return `the ending of '${file}' names no format: use ${endingsInWords()}`;
  if (outDir === undefined) return undefined;
  try {
    resolvePath(file, outDir, nodeFileSystem);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
