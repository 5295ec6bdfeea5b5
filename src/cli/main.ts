#!/usr/bin/env node
import { constants } from 'node:os';
import { runCommand } from './runCommand.ts';

const interrupted = new AbortController();

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (interrupted.signal.aborted) process.exit(128 + constants.signals[name]);
    interrupted.abort(name);
  });
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (stream === process.stdout) interrupted.abort('EPIPE');
  });
}

// The code is set rather than exited with: what is still to be written would be lost.
process.exitCode = await runCommand(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: interrupted.signal,
});
