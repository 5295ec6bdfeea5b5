import type { DriftCount } from '../contract/index.ts';
import type { AnyClient } from '../index.ts';
import type { MapRing } from '../../operators/split/Area.ts';
import type { MapSketch } from '../flow/report/RunRecorder.ts';
import type { NextStep, ReportFailures } from '../flow/report/index.ts';
import type { AccountLeft, FlowFile, StageProgress } from '../flow/run/FlowProgress.ts';
import type { Outcome } from '../flow/run/outcomes.ts';
import type { RunNote, RunTiming } from '../files/dataPackage.ts';

/** What the server sends to the page, all of it as JSON. */

/**
 * The phase of a run. `running`: a process holds its folder. `done`: its files are finished. `stopped`: work is left, and the process
 * ended properly. `lost`: work is left, and the process died. `damaged`: its journal can't be read.
 */
export type RunPhase = 'running' | 'done' | 'stopped' | 'lost' | 'damaged';

/** A run in the list of runs. */
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

/** When a run was under way. */
interface RunTimes {
  readonly startedAt: number;
  /** The time of its last known event. */
  readonly endedAt: number;
  /** How much of that time was between its processes, or without any response. */
  readonly breaksMs: number;
  /** Pages that came before it was resumed. */
  readonly before?: number | undefined;
  /** How fast a finished run was. */
  readonly timing?: RunTiming | undefined;
}

/** The results of a run. */
interface RunResults {
  readonly requests: number;
  readonly outcome: Outcome | undefined;
  /** The price of one request, if it is known. */
  readonly price?: number | undefined;
  readonly stages: readonly StageProgress[];
  readonly files: readonly FlowFile[];
  readonly failures: readonly ReportFailures[];
  readonly drift: readonly DriftCount[];
  /** What the accounts had left at the services. Absent while it runs. */
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
  /** An update of a finished run is under way. `stages` are those of the update. */
  readonly update: boolean;
  /** How it ended, or how it is going, as one sentence. */
  readonly ending: string;
  /** The command that runs the flow again. */
  readonly command: string;
  readonly steps: readonly NextStep[];
  /** Present while the page is served by the process that runs the flow. */
  readonly live: LiveState | undefined;
  /** None, unless it is served by that process. */
  readonly buttons: readonly Button[];
  /** What can't be shown, why, and what to do. A note with a command replaces the next steps. */
  readonly notes: readonly NextStep[];
}

/** What only the running process knows. */
export interface LiveState {
  /** Its requests and failed attempts are those of this run. */
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
  /** The name of the table in SQL. */
  readonly sqlName: string;
  /**
   * `rows`: rows of a stage. `failures`: queries that failed or found nothing, and rows that a database can't hold. `changes`: rows that
   * an update has changed.
   */
  readonly kind: 'rows' | 'failures' | 'changes';
  /** Tables with parent rows or child rows of this table's rows. */
  readonly related: readonly Relation[];
  /** The run is still writing to it. */
  readonly growing: boolean;
  /** Why it can't be shown. */
  readonly fault: string | undefined;
}

export interface ShownColumn {
  readonly name: string;
  readonly type: string | undefined;
  readonly about: string | undefined;
}

/** How rows of another table belong to rows of this one. */
export interface Relation {
  readonly file: string;
  readonly stage: string;
  readonly kind: 'parent' | 'child';
  /** Whether the query of the child rows was made from one of the columns. If not, unrelated rows may have the same values. */
  readonly isExact: boolean;
  /** Pairs of columns that are equal: one of this table, one of the other. */
  readonly by: readonly (readonly [own: string, other: string])[];
}

/** A part of a table. */
export interface RowsPart {
  readonly rows: readonly ShownRow[];
  /** How many rows the view has. undefined: these are the first ones, and the file is still being read. */
  readonly total: number | undefined;
  /** Set if DuckDB isn't installed: only this many rows can be shown, and there are more. */
  readonly onlyFirst?: number | undefined;
}

/** The response, with status 202, to a request that needs the whole file while it is still being read. The page repeats it. */
export interface StillReading {
  /** The share that was read, from 0 to 1. */
  readonly read: number;
}

export interface ShownRow {
  /** Its index in the file, from 0. */
  readonly n: number;
  /** Its cells as text, shortened, in the order of the columns. null: nothing. */
  readonly cells: readonly (string | null)[];
}

/** A row on a map: its index, its coordinates, and the value that gives its colour. */
export type ShownPoint = readonly [n: number, latitude: number, longitude: number, value: string | null];

/** The areas and tiles of a stage, for the map. */
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

/** The changes of one update in one file. */
export interface ChangedRows {
  readonly counts: { readonly [kind in 'new' | 'changed' | 'gone' | 'rose' | 'fell']: number };
  /** The fields that changed, and in how many rows. The most frequent first. */
  readonly fields: readonly { readonly name: string; readonly count: number }[];
  /** The first rows of the requested kind. `n`: the index of the line. `fields`: the changed fields that aren't left out. */
  readonly rows: readonly { readonly n: number; readonly row: object; readonly was: object; readonly fields: readonly string[] }[];
  /** How many changed rows are left out, because only fields that the user has left out have changed. */
  readonly leftOut: number;
}

/** The result of a query in SQL. */
export interface SqlRows {
  readonly columns: readonly string[];
  /** Cells as text. null: nothing. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** There are more rows than these. */
  readonly more: boolean;
}
