export { failureKind } from './failureKind.ts';
export { drawFlow, type DrawFlowOptions, type FlowBox } from './drawFlow.ts';
export { formatBytes } from './formatBytes.ts';
export { formatCount } from './formatCount.ts';
export { formatDuration } from './formatDuration.ts';
export { renderReport } from './renderReport.ts';
export type { ReportData, ReportFailures, RunRecord } from './ReportData.ts';
export { RunRecorder } from './RunRecorder.ts';
