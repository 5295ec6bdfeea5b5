import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Finished {
  readonly outcome?: string;
  readonly flow?: string;
  readonly digest?: string;
}

type Files = { readonly [name: string]: string | Uint8Array };

/** The files of a folder as a finished run leaves it. Each call is a run of its own. */
export function finishedFiles(files: Files, { outcome = 'complete', flow = 'coffee', digest }: Finished = {}): Files {
  const resources = Object.entries(files).map(([name, content]) => ({
    name: name.toLowerCase(),
    path: name,
    mediatype: 'application/jsonl',
    bytes: content.length,
    hash: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  }));
  const dataPackage = {
    name: flow,
    resources,
    trawler: { flow: { name: flow, digest }, outcome, stages: [], endedAt: new Date().toISOString(), run: ++runs },
  };
  return { ...files, 'report.html': `<p>${outcome}</p>`, 'datapackage.json': JSON.stringify(dataPackage) };
}

/** Writes them. */
export function finishedFolder(folder: string, files: Files, run: Finished = {}): string {
  mkdirSync(join(folder, '.trawler'), { recursive: true });
  for (const [name, content] of Object.entries(finishedFiles(files, run))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

let runs = 0;
