import { TrawlerError } from '../../errors/index.ts';
import type { Refusal } from './Task.ts';

/** Refuses requests to a closed client, and ends those in flight. */
export const closedRefusal: Refusal = (details) =>
  new TrawlerError(`${details.operation}: the client is closed; make a new one to go on`, details);
