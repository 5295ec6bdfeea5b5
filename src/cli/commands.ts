// Made from the files of commands/ by `npm run docs`: change those, not this.
import type { Command } from './Command.ts';

/** A command in the overview; the rest of it is loaded when it is called. */
interface CommandEntry {
  readonly about: string;
  readonly load: () => Promise<Command>;
}

export const commands: { readonly [name: string]: CommandEntry } = {
  init: {
    about: 'write a flow to start from, and try it on the sandbox',
    load: async () => (await import('./commands/init.ts')).init,
  },
  run: {
    about: 'run a flow, or resume it',
    load: async () => (await import('./commands/run.ts')).run,
  },
  plan: {
    about: 'check a flow and count its requests before sending any',
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  check: {
    about: 'say what is wrong with a flow, and whether the key works',
    load: async () => (await import('./commands/check.ts')).check,
  },
  show: {
    about: 'look at a run and its rows in the browser',
    load: async () => (await import('./commands/show.ts')).show,
  },
  call: {
    about: 'call one operation and print the response',
    load: async () => (await import('./commands/call.ts')).call,
  },
  operations: {
    about: 'list the operations and their parameters',
    load: async () => (await import('./commands/operations.ts')).listOperations,
  },
  store: {
    about: 'list, count, verify, prune and export stored responses',
    load: async () => (await import('./commands/store.ts')).store,
  },
  spend: {
    about: 'show what was spent, and set limits',
    load: async () => (await import('./commands/spend.ts')).spend,
  },
  schema: {
    about: 'print the SQL or JSON Schema that loads the files',
    load: async () => (await import('./commands/schema.ts')).schema,
  },
  proxy: {
    about: 'stand in front of a service, for programs in any language',
    load: async () => (await import('./commands/proxy.ts')).proxy,
  },
  publish: {
    about: 'bring a finished folder into a bucket or a shared folder',
    load: async () => (await import('./commands/publish.ts')).publishDataset,
  },
  sandbox: {
    about: 'start the embedded service',
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
  worker: {
    about: 'send requests for a flow that runs on many machines',
    load: async () => (await import('./commands/worker.ts')).worker,
  },
  mcp: {
    about: 'let an agent build datasets within a budget (MCP)',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  queue: {
    about: 'make the tables of a queue in PostgreSQL',
    load: async () => (await import('./commands/queue.ts')).queue,
  },
  completion: {
    about: 'print what completes commands in bash or zsh',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
};
