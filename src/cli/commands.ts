import type { Command } from './Command.ts';

/** A command in the overview; the rest of it is loaded when it is called. */
export interface CommandEntry {
  readonly about: string;
  readonly load: () => Promise<Command>;
}

export const commands: { readonly [name: string]: CommandEntry } = {
  run: { about: 'run a flow: queries to pages to rows to files', load: async () => (await import('./commands/run.ts')).run },
  plan: {
    about: 'say what a flow would ask for, at least and at most, without asking',
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  call: { about: 'ask one operation; JSON, JSONL or CSV to stdout', load: async () => (await import('./commands/call.ts')).call },
  operations: {
    about: 'the operations, with their parameters',
    load: async () => (await import('./commands/operations.ts')).operations,
  },
  store: { about: 'stored responses: list, count, verify, prune, export', load: async () => (await import('./commands/store.ts')).store },
  sandbox: { about: 'start the embedded service', load: async () => (await import('./commands/sandbox.ts')).sandbox },
  worker: { about: 'work for a flow that is run over a queue', load: async () => (await import('./commands/worker.ts')).worker },
};
