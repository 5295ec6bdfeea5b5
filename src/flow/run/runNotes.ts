import type { DataPackage, RunNote } from '../../files/dataPackage.ts';

const maxNotes = 200;

/** The runs that a datapackage.json tells of, the oldest first. Of very many, the last ones. */
export function runNotes(run: DataPackage['trawler']): readonly RunNote[] {
  const { startedAt, endedAt, outcome, requests, stages, drift = [], changes, runs = [] } = run;
  const sum = (pick: (stage: (typeof stages)[number]) => number): number => stages.reduce((total, stage) => total + pick(stage), 0);
  const own: RunNote = {
    startedAt,
    endedAt,
    outcome,
    requests,
    rows: sum(({ rows }) => rows),
    failed: sum(({ failed = 0 }) => failed),
    drift: drift.length,
    changes,
  };
  return [...runs.filter((one) => one.startedAt !== startedAt), own].slice(-maxNotes);
}
