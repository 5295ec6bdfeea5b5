import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openStore, verifyStore } from '../../src/store/index.ts';
import { ofTheDay } from '../ofTheDay.ts';

const long = process.env['TRAWLER_LONG'] !== undefined;
const child = fileURLToPath(new URL('sharedFolder.mjs', import.meta.url));

interface Told {
  readonly stored: number;
  readonly hits: number;
  readonly wrong: readonly string[];
}

/** Runs one process, and kills it after so many lines of output; gives the last line that it printed. */
async function run(folder: string, number: number, killAfter: number): Promise<Told> {
  const door = pathToFileURL(join(inject('dist'), 'bundle/store.js')).href;
  const args = [child, door, folder, String(number), '200', long ? '60000' : '0'];
  const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > killAfter) running.kill('SIGKILL');
  });
  await new Promise((resolve) => running.once('close', resolve));
  const lines = output.split('\n').filter((line) => line.endsWith('}'));
  return lines.length === 0 ? { stored: 0, hits: 0, wrong: [] } : (JSON.parse(lines.at(-1)!) as Told);
}

/** So many processes. */
const count = long ? 8 : 4;
/** Those of them that may be killed. */
const mortal = long ? 3 : 2;

describe(`${count} processes on one folder`, () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'store-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const ends: readonly (readonly [string, number])[] = [
    ['that end', Infinity],
    [`of which ${mortal} are killed`, 2],
  ];
  it.each(ofTheDay(ends, 1))('get no wrong response and lose no entry (%s)', async (_, killAfter) => {
    const told = await Promise.all(
      Array.from({ length: count }, (_, number) => run(folder, number, number < mortal ? killAfter : Infinity)),
    );
    expect(told.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(told.every(({ stored }) => stored > 0)).toBe(true);
    const store = openStore(folder);
    const lost: string[] = [];
    for (const [number, { stored }] of told.entries()) {
      for (let id = 0; id < stored; id++) {
        for (const name of [`${number} ${id}`, `all ${id}`]) {
          const found = store.find({ service: 'test', operation: 'search', query: `id=${name}`, url: '' });
          const text = found.kind === 'hit' ? gunzipSync(found.response.body).toString() : found.kind;
          if (text !== `{"id":"${name}"}`) lost.push(`${name}: ${text}`);
        }
      }
    }
    expect(lost.slice(0, 5)).toEqual([]);
    await store.close();
    const torn = ({ what }: { readonly what: string }): boolean => killAfter !== Infinity && what.endsWith('the end is torn');
    expect(verifyStore(folder).faults.filter((fault) => !torn(fault))).toEqual([]);
    expect(readdirSync(folder).filter((file) => file.endsWith('.warc.gz')).length).toBeGreaterThanOrEqual(count);
  });
});
