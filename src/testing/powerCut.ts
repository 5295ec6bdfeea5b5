import { dirname } from 'node:path';
import type { DiskContent, DiskStep } from './DiskContent.ts';

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

/** The number of ways in which a power cut may go. */
export const moodCount: number = moods.length;

export interface PowerCut {
  /** The steps that were done before it. The one after these may be done, half done or not. */
  readonly until: number;
  /** From 0 to `moodCount` - 1. */
  readonly mood: number;
  readonly random: () => number;
  /** Names reach the disk in their order, each with the next sync of any file, because folders can't be synced. */
  readonly ordered: boolean;
}

/** What is left after a power cut. What wasn't synced is there or not, each piece independently of the others, or torn. */
export function powerCut(before: DiskContent, log: readonly DiskStep[], { until, mood, random, ordered }: PowerCut): DiskContent {
  const likely = moods[mood % moods.length]!;
  const isSafe = safeSteps(log.slice(0, until), ordered);
  const left = before.copy();
  let lost = false;
  const survives = (): boolean => !(lost &&= ordered) && !(lost = random() >= likely.names);
  for (const [index, step] of log.slice(0, until + 1).entries()) {
    if (step.kind === 'datasync' || step.kind === 'syncFolder' || step.kind === 'failed') continue;
    if (step.kind === 'write' || step.kind === 'truncate') {
      if (isSafe[index]) left.apply(step);
      else if (random() < likely.bytes) left.apply(random() < likely.torn ? torn(step, random) : step);
      continue;
    }
    if (step.kind === 'make') left.apply({ kind: 'truncate', file: step.file, length: 0 }); // its bytes may outlive its name
    if (isSafe[index] === true || survives()) left.apply(step);
  }
  left.dropLost();
  return left;
}

/** Which steps are safe: a sync that covers them came later. */
function safeSteps(log: readonly DiskStep[], ordered: boolean): readonly boolean[] {
  const files = new Set<number>();
  const folders = new Set<string>();
  const safe: boolean[] = [];
  for (let index = log.length - 1; index >= 0; index--) {
    const step = log[index]!;
    if (step.kind === 'failed') continue;
    if (step.kind === 'datasync') files.add(step.file);
    else if (step.kind === 'syncFolder') folders.add(step.name);
    else if (step.kind === 'write' || step.kind === 'truncate') safe[index] = files.has(step.file);
    else safe[index] = ordered ? files.size > 0 : folders.has(dirname(step.kind === 'rename' ? step.to : step.name));
  }
  return safe;
}

/** The beginning of a write, or some blocks of it. */
function torn(step: DiskStep, random: () => number): DiskStep {
  if (step.kind !== 'write') return step;
  if (random() < 0.5) return { ...step, bytes: step.bytes.subarray(0, Math.floor(random() * step.bytes.length)) };
  const bytes = Buffer.from(step.bytes);
  for (let at = 0; at < bytes.length; at += 16) if (random() < 0.3) bytes.fill(0, at, Math.min(at + 16, bytes.length));
  return { ...step, bytes };
}
