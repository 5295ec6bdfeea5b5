import type { IncomingHttpHeaders } from 'node:http';
import { valueAt } from '../../../operators/walk/valueAt.ts';
import type { FailureUntil } from '../../contract/index.ts';
import { parseDate, sentAt } from './parseDate.ts';

/** How long a response says to wait, at the place that a rule names. Not above 0 if the time is over. undefined: it doesn't say. */
export function waitUntil(
  { header, at, unit }: FailureUntil,
  headers: IncomingHttpHeaders,
  body: unknown,
  wall: number,
): number | undefined {
  const said = header === undefined ? valueAt(body, at) : headers[header.toLowerCase()];
  const text = typeof said === 'string' ? said.trim() : typeof said === 'number' ? String(said) : '';
  const value = unit === 'date' ? parseDate(text, wall) : /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (value === undefined) return undefined;
  if (unit === 'seconds') return Math.ceil(value * 1000);
  return Math.ceil(unit === 'epoch' ? value * 1000 : value) - sentAt(headers, wall);
}
