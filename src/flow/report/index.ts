export { failureKind, RunRecorder } from './RunRecorder.ts';
export { drawFlow, type DrawFlowOptions } from './drawFlow.ts';
export type { FlowBox } from './drawFlow.ts';
export { formatBytes, formatCount, formatDuration, shownEstimate } from './format.ts';
export { headlineOf } from './renderReport.ts';
export { nextSteps, type NextStep } from './nextSteps.ts';
export { renderReport } from './renderReport.ts';
export type { ReportData, ReportFailures, RunRecord } from './RunRecorder.ts';
