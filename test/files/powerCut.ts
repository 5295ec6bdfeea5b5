import { dirname } from 'node:path';
import { apply, type Disk, type Step } from './MemoryFileSystem.ts';

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How likely what wasn't synced survives: nothing, everything, names only, bytes only, a mix. */
const moods = [
  { names: 0, bytes: 0, torn: 0 },
  { names: 1, bytes: 1, torn: 0 },
  { names: 1, bytes: 0, torn: 0 },
  { names: 0, bytes: 1, torn: 0 },
  { names: 0.5, bytes: 0.5, torn: 0.5 },
  { names: 0.9, bytes: 0.5, torn: 0.9 },
  { names: 0.5, bytes: 0.9, torn: 0.2 },
] as const;

export const moodCount: number = moods.length;

/**
 * A disk as it may be after the power went during step `until` (which may be done, half done or not): whatever was not
 * synced by then is there or not, one piece independently of the other, and writes may be torn.
 */
export function powerCut(before: Disk, log: readonly Step[], until: number, mood: number, random: () => number): Disk {
  const likely = moods[mood % moods.length]!;
  const done = log.slice(0, until + 1);
  const names = new Map(before.names);
  const files = new Map(before.files);
  const synced = done.slice(0, -1); // the last one may not have come to its end
  for (const [index, step] of done.entries()) {
    if (step.kind === 'datasync' || step.kind === 'syncFolder') continue;
    if (step.kind === 'write' || step.kind === 'truncate') {
      const safe = synced.some((other, at) => at > index && other.kind === 'datasync' && other.file === step.file);
      if (safe) apply(step, names, files);
      else if (random() < likely.bytes) apply(random() < likely.torn ? tear(step, random) : step, names, files);
      continue;
    }
    const folder = dirname(step.kind === 'rename' ? step.to : step.name);
    const safe = synced.some((other, at) => at > index && other.kind === 'syncFolder' && other.name === folder);
    if (step.kind === 'make' && !files.has(step.file)) files.set(step.file, Buffer.alloc(0)); // its bytes may outlive its name
    if (safe || random() < likely.names) apply(step, names, files);
  }
  for (const name of names.keys()) if (!reachable(name, names)) names.delete(name);
  return { names, files };
}

function reachable(name: string, names: ReadonlyMap<string, unknown>): boolean {
  for (let folder = dirname(name); ; folder = dirname(folder)) {
    if (names.get(folder) !== 'folder') return false;
    if (folder === '/') return true;
  }
}

/** The beginning of a write, or some blocks of it. */
function tear(step: Step, random: () => number): Step {
  if (step.kind !== 'write') return step;
  if (random() < 0.5) return { ...step, bytes: step.bytes.subarray(0, Math.floor(random() * step.bytes.length)) };
  const bytes = Buffer.from(step.bytes);
  for (let at = 0; at < bytes.length; at += 16) if (random() < 0.3) bytes.fill(0, at, Math.min(at + 16, bytes.length));
  return { ...step, bytes };
}

/** The same disk after a restart: locks that are left name a boot that is over, long ago. */
export function restarted(disk: Disk): Disk {
  const files = new Map(disk.files);
  for (const [name, file] of disk.names) {
    if (typeof file !== 'number' || !name.includes('.lock')) continue;
    const text = (files.get(file) ?? Buffer.alloc(0)).toString('utf8');
    files.set(file, Buffer.from(text.replace(/"boot":"[^"]*"/, '"boot":"before"').replace(/"beat":\d+/, '"beat":1600000000000')));
  }
  return { names: disk.names, files };
}
