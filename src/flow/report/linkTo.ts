import { escapeHtml } from './format.ts';

/** A link to a file of the run's folder. */
export function linkTo(path: string): string {
  return `<a href="${escapeHtml(path.split('/').map(encodeURIComponent).join('/'))}">${escapeHtml(path)}</a>`;
}
