/**
 * How a run and its stages may end, the worst first. `ending`: in the closing sentence of a run. `means`: what the word alone doesn't say.
 *
 * `interrupted`: the same command does the work that is left. `doubtful`: the rows miss an expectation of the flow.
 */
export const outcomes = {
  interrupted: { ending: 'interrupted', mood: 'warn', isDone: false, means: 'work is left. Resume the run.' },
  failed: { ending: 'done,', mood: 'bad', isDone: false, means: 'queries failed, so their rows are missing.' },
  doubtful: { ending: 'done, but doubtful,', mood: 'bad', isDone: false, means: 'something that the flow expects is not so.' },
  short: { ending: 'done, but short,', mood: 'warn', isDone: false, means: 'the service has more rows than it gave.' },
  capped: { ending: 'done', mood: 'warn', isDone: true, means: 'a limit of the flow or the service ended queries that had more rows.' },
  complete: { ending: 'done', mood: 'good', isDone: true, means: 'no query lacks anything, and none failed.' },
} as const;

export type Outcome = keyof typeof outcomes;

/** The worst outcome that applies. */
export function worstOf(applies: (outcome: Outcome) => boolean): Outcome {
  return (Object.keys(outcomes) as Outcome[]).find(applies) ?? 'complete';
}
