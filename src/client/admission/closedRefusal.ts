import { TrawlerError } from '../../errors/index.ts';
import type { Refusal } from './Task.ts';

/** Refuses what a closed client is asked for, and ends what it was doing. */
export const closedRefusal: Refusal = (details) =>
  new TrawlerError(`${details.operation}: the client is closed; make a new one to go on`, details);
