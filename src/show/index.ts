export { startShow, type Show, type StartShowOptions } from './startShow.ts';
export { LiveRun } from './run/LiveRun.ts';
export { ShownRuns } from './run/ShownRuns.ts';
export type { RunState, SqlRows, TableInfo } from './api.ts';
