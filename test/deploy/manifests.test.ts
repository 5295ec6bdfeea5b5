import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../testedPackage.ts';

const deploy = (path: string): string => join(root, 'examples/deploy', path);

describe('examples/deploy/kubernetes', () => {
  function documentsOf(path: string): readonly Record<string, unknown>[] {
    const documents = parseAllDocuments(readFileSync(deploy(path), 'utf8'), { strict: true, uniqueKeys: true });
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    return documents.map((document) => document.toJS() as Record<string, unknown>);
  }

  it('has a CronJob that is the Job with --update, on the same volume', () => {
    const [volume, job] = documentsOf('kubernetes/job.yaml');
    const [cronJob] = documentsOf('kubernetes/cronjob.yaml');
    expect([volume, job, cronJob].map((one) => one!['kind'])).toEqual(['PersistentVolumeClaim', 'Job', 'CronJob']);
    const { jobTemplate } = cronJob!['spec'] as { readonly jobTemplate: { readonly spec: object } };
    expect(JSON.stringify(jobTemplate.spec)).toBe(JSON.stringify(job!['spec']).replace('crawl.json"', 'crawl.json","--update"'));
    expect(JSON.stringify(job)).toContain(`"claimName":"${(volume!['metadata'] as { readonly name: string }).name}"`);
  });
});

/** It needs no systemd that runs. */
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasSystemd) console.warn('Units are not verified: apt-get install systemd');

describe.skipIf(!hasSystemd)('examples/deploy/systemd', () => {
  it('has units in which systemd finds no fault', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trawler-units-'));
    for (const name of readdirSync(deploy('systemd'))) {
      const text = readFileSync(deploy(`systemd/${name}`), 'utf8');
      writeFileSync(join(folder, name), text.replace('/opt/trawler/node_modules/.bin/trawler', process.execPath)); // which must exist
    }
    const units = ['service', 'timer'].map((kind) => join(folder, `trawler@cafes.${kind}`));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([status, stderr]).toEqual([0, '']);
  });
});
