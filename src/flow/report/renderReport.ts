import type { ReportData } from './ReportData.ts';

/** The page of a run. */
export function renderReport(data: ReportData): string {
  return `<!doctype html><title>${data.name.length}</title>`;
}
