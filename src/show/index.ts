export { startShow, type Show, type StartShowOptions } from './startShow.ts';
export { LiveRun } from './run/LiveRun.ts';
