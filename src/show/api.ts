import type { DriftCount } from '../contract/index.ts';
import type { AnyClient } from '../index.ts';
import type { MapRing } from '../../operators/split/Area.ts';
import type { MapSketch } from '../flow/report/RunRecorder.ts';
import type { NextStep, ReportFailures } from '../flow/report/index.ts';
import type { AccountLeft, FlowFile, StageProgress } from '../flow/run/FlowProgress.ts';
import type { Outcome } from '../flow/run/outcomes.ts';
import type { RunNote, RunTiming } from '../files/dataPackage.ts';

/** What the server tells the page, all of it as JSON. */

/**
 * How a run stands. `running`: a process holds its folder. `done`: its files are finished. `stopped`: work is left, and the process
 * ended properly. `lost`: work is left, and the process is gone. `damaged`: its journal can't be read.
 */
export type RunPhase = 'running' | 'done' | 'stopped' | 'lost' | 'damaged';

/** A run of the list. */
export interface RunEntry {
  /** The run's name in addresses: '' for the folder that was opened. */
  readonly id: string;
  readonly folder: string;
  readonly flow: string;
  readonly phase: RunPhase;
  readonly outcome: Outcome | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly requests: number;
  readonly rows: number;
  readonly drift: number;
  /** The finished runs of the folder, the oldest first: the crawl, and the updates that followed. */
  readonly history: readonly RunNote[];
}

/** When a run was under way, and how long it will be. */
interface RunTimes {
  readonly startedAt: number;
  /** The time of the last thing that is known to have happened. */
  readonly endedAt: number;
  /** How much of that time was between its processes, or without any response. */
  readonly breaksMs: number;
  readonly left: WorkLeft | undefined;
  /** How fast a finished run was. */
  readonly timing?: RunTiming | undefined;
}

/** What a run has brought. */
interface RunResults {
  readonly requests: number;
  readonly outcome: Outcome | undefined;
  /** Of one request, if it is known. */
  readonly price?: number | undefined;
  readonly stages: readonly StageProgress[];
  readonly files: readonly FlowFile[];
  readonly failures: readonly ReportFailures[];
  readonly drift: readonly DriftCount[];
  /** What was left at its services. Absent while it runs. */
  readonly accounts?: readonly AccountLeft[] | undefined;
}

/** Everything about one run but its rows. */
export interface RunState extends RunTimes, RunResults {
  readonly id: string;
  readonly folder: string;
  readonly flow: string;
  readonly phase: RunPhase;
  /** The process that runs it. */
  readonly holder: { readonly pid: number; readonly host: string } | undefined;
  /** An update of a finished run is under way, and `stages` are its own. */
  readonly update: boolean;
  /** How it ended or stands, as one sentence. */
  readonly ending: string;
  /** What runs the flow again. */
  readonly command: string;
  readonly steps: readonly NextStep[];
  /** Present while the page is served by the process that runs the flow. */
  readonly live: LiveState | undefined;
  readonly buttons: readonly Button[];
  /** What can't be shown, why, and what to do. With a command, it comes before the next steps of the run. */
  readonly notes: readonly NextStep[];
}

/** What is left to do. */
interface WorkLeft {
  readonly requests: number;
  readonly ms: number | undefined;
  /** More will be found. */
  readonly atLeast: boolean;
}

/** What only the running process knows. */
export interface LiveState {
  readonly stats: ReturnType<AnyClient['stats']>;
  readonly waits: ReturnType<AnyClient['explain']>;
  readonly perSecond: number;
  /** How long a response takes on average, in milliseconds. 0: none came yet. */
  readonly meanMs: number;
  readonly maxRequests: number | undefined;
}

export type ButtonName = 'pause' | 'resume' | 'failures';

export interface Button {
  readonly name: ButtonName;
  readonly label: string;
  /** What a click costs, or why it can't be clicked. */
  readonly says: string;
  /** The requests that it costs at least. */
  readonly requests?: number | undefined;
  readonly enabled: boolean;
}

/** A file as a table. */
export interface TableInfo {
  /** Its path within the run's folder. */
  readonly file: string;
  readonly stage: string | undefined;
  /** The operation of its rows. */
  readonly call: string | undefined;
  readonly columns: readonly ShownColumn[];
  /** undefined if they aren't counted yet. */
  readonly rows: number | undefined;
  readonly bytes: number;
  /** What SQL calls it. */
  readonly sqlName: string;
  /** `rows`: of a stage. `failures`: queries that failed, or found nothing. `changes`: what an update has changed. */
  readonly kind: 'rows' | 'failures' | 'changes';
  /** Tables whose rows belong to rows of this one, or the other way round. */
  readonly related: readonly Relation[];
  /** The run still writes to it. */
  readonly growing: boolean;
  /** Why it can't be shown. */
  readonly fault: string | undefined;
}

export interface ShownColumn {
  readonly name: string;
  readonly type: string | undefined;
  readonly about: string | undefined;
  /** The least share of rows in which the flow expects this column to be filled. */
  readonly expected: number | undefined;
}

/** Rows of another table that belong to a row of this one. */
export interface Relation {
  readonly file: string;
  readonly stage: string;
  readonly kind: 'parent' | 'child';
  /** One of the columns is what the query of the child rows was made of. Else rows of others may have the same values. */
  readonly isExact: boolean;
  /** Pairs of columns that are equal: one of this table, one of the other. */
  readonly by: readonly (readonly [own: string, other: string])[];
}

/** A part of a table. */
export interface RowsPart {
  readonly rows: readonly ShownRow[];
  /** Rows that the view has. undefined while the file is still being read. */
  readonly total: number | undefined;
  /** The share of the file that was read, from 0 to 1, while it is still being read. `rows` are those found so far. */
  readonly read?: number | undefined;
  /** There are more rows than so many, which can't be shown, as DuckDB isn't installed. */
  readonly onlyFirst?: number | undefined;
}

/** The response, with status 202, to a request that has to wait until the whole file was read. */
export interface StillReading {
  readonly read: number;
}

export interface ShownRow {
  /** Its place in the file, from 0. */
  readonly n: number;
  /** Its cells as text, shortened, in the order of the columns. null: nothing. */
  readonly cells: readonly (string | null)[];
}

/** A row on a map: its number, where it is, and the value by which it is coloured, if it is. */
export type ShownPoint = readonly [n: number, latitude: number, longitude: number, value: string | null];

/** What a stage searched on the map. */
export interface ShownTiles {
  readonly tiles: MapSketch['tiles'];
  /** The outlines of its areas. */
  readonly rings: readonly MapRing[];
}

/** The most frequent values of a column among the rows of a view. */
export interface Facet {
  readonly column: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

/** What an update has changed in a file. */
export interface ChangedRows {
  readonly counts: { readonly new: number; readonly changed: number; readonly gone: number };
  /** The fields that changed, each with in how many rows, the most frequent first. */
  readonly fields: readonly { readonly name: string; readonly count: number }[];
  /** The first rows of the kind that was asked for. `n`: their line. `fields`: what changed and matters. */
  readonly rows: readonly { readonly n: number; readonly row: object; readonly was: object; readonly fields: readonly string[] }[];
  /** Changed rows in which only fields that don't matter have changed. */
  readonly leftOut: number;
}

/** What a query in SQL gives. */
export interface SqlRows {
  readonly columns: readonly string[];
  /** Cells as text. null: nothing. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** There are more rows than a page shows. */
  readonly more: boolean;
}
