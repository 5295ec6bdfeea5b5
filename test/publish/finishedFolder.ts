import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a folder as a finished run leaves it. Each call is a run of its own. */
export function finishedFolder(
  folder: string,
  files: { readonly [name: string]: string | Uint8Array },
  { outcome = 'complete', flow = 'coffee' }: { readonly outcome?: string; readonly flow?: string } = {},
): string {
  mkdirSync(join(folder, '.trawler'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  writeFileSync(join(folder, 'report.html'), `<p>${outcome}</p>`);
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
    trawler: { flow: { name: flow }, outcome, stages: [], endedAt: new Date().toISOString(), run: ++runs },
  };
  writeFileSync(join(folder, 'datapackage.json'), JSON.stringify(dataPackage));
  return folder;
}

let runs = 0;
