import type { FailedAttempts } from '../errors/FailedAttempts.ts';
import { join } from 'node:path';
import { readAll } from './blocks.ts';
import type { FileSystem } from './FileSystem.ts';

export const packageFile = 'datapackage.json';

/** The parts of a `datapackage.json` that are read again. A run writes it when it ends. */
export interface DataPackage {
  readonly resources: readonly PackageResource[];
  readonly trawler: {
    readonly flow: { readonly name: string; readonly digest?: string };
    readonly outcome: string;
    readonly startedAt: string;
    readonly endedAt: string;
    readonly requests: number;
    readonly stages: readonly { readonly name: string; readonly rows: number; readonly failed?: number }[];
    readonly drift?: readonly object[];
    /** What the accounts had left at the services. */
    readonly accounts?: readonly object[] | undefined;
    readonly changes?: RowChanges | undefined;
    readonly timing?: RunTiming | undefined;
    /** The finished runs of the folder before this one, the oldest first. */
    readonly runs?: readonly RunNote[];
  };
}

/** How many rows an update has changed. */
export interface RowChanges {
  readonly new: number;
  readonly changed: number;
  /** Absent if a stage of the update can't know it. */
  readonly gone?: number | undefined;
}

/** How fast a run was in its last process, and what it waited for. */
export interface RunTiming {
  readonly ms: number;
  readonly requests: number;
  /** How long a response took on average. */
  readonly meanMs: number;
  /** 429 responses. */
  readonly throttled: number;
  /** Attempts that failed, retried or not, by reason: the most frequent first. */
  readonly failedAttempts?: readonly FailedAttempts[] | undefined;
  /** Requests per second that the learnt limit allowed at the end. Absent if none was learnt. */
  readonly rate?: number | undefined;
  /** Requests in flight, on average. */
  readonly inFlight: number;
  /** What requests waited for, the longest first. */
  readonly waits: readonly MeanWait[];
}

/** How many requests waited for something, on average. */
export interface MeanWait {
  readonly for: string;
  readonly requests: number;
}

/** A finished run of a folder, in short. */
export interface RunNote {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: string;
  readonly requests: number;
  readonly rows: number;
  /** Queries that failed. */
  readonly failed: number;
  /** Differences from the documentation. */
  readonly drift: number;
  readonly changes?: RowChanges | undefined;
}

interface PackageResource {
  readonly path: string;
  readonly hash?: string;
  readonly mediatype?: string;
  readonly rows?: number;
}

/** Reads the text of a data package. undefined if trawler didn't write it. */
export function parseDataPackage(text: string): DataPackage | undefined {
  try {
    const found = JSON.parse(text) as Partial<DataPackage>;
    const { resources, trawler } = found;
    const ours =
      typeof trawler?.outcome === 'string' &&
      typeof trawler.flow.name === 'string' &&
      Array.isArray(trawler.stages) &&
      Array.isArray(trawler.runs ?? []);
    return ours && resources?.every(({ path }) => typeof path === 'string') === true ? (found as DataPackage) : undefined;
  } catch {
    return undefined;
  }
}

/** The data package of a run's folder. undefined if there is none, or if trawler didn't write it. */
export function readDataPackage(folder: string, fileSystem: FileSystem): DataPackage | undefined {
  try {
    return parseDataPackage(readAll(join(folder, packageFile), fileSystem).toString());
  } catch {
    return undefined;
  }
}

const maxNotes = 200;

/** The last 200 runs that a data package knows, the oldest first. */
export function runNotes(run: DataPackage['trawler']): readonly RunNote[] {
  const { startedAt, endedAt, outcome, requests, stages, drift = [], changes, runs = [] } = run;
  const sum = (pick: (stage: (typeof stages)[number]) => number): number => stages.reduce((total, stage) => total + pick(stage), 0);
  const own: RunNote = {
    startedAt,
    endedAt,
    outcome,
    requests,
    rows: sum(({ rows }) => rows),
    failed: sum(({ failed = 0 }) => failed),
    drift: drift.length,
    changes,
  };
  return [...runs.filter((one) => one.startedAt !== startedAt), own].slice(-maxNotes);
}
