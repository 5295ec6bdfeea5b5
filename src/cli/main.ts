#!/usr/bin/env node
import { fstatSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { runCommand } from './runCommand.ts';
import { typedProgram } from './typedProgram.ts';
import { stopSignal } from './stopSignal.ts';

// Node has it from 22.1 on: what a command loads is compiled once, not each time.
(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
process.on('SIGUSR1', () => undefined); // else Node opens its debugger; a run prints what it waits for
const { stdin, stdout, stderr, env } = process;
writeWhole(stdout);
const program = typedProgram(process.argv[1]!, { flags: process.execArgv, cwd: process.cwd(), platform: process.platform });
const signal = stopSignal(process, stdout, stderr, (code) => process.exit(code));
// Sets the code and doesn't exit, because pending writes would be lost.
process.exitCode = await runCommand(process.argv.slice(2), { stdin, stdout, stderr, env, signal, program });

/** Writes a text to a file as a whole, or fails. Node drops without an error what a nearly full disk doesn't take. */
function writeWhole(output: NodeJS.WriteStream & { readonly fd: number }): void {
  if (!fstatSync(output.fd).isFile()) return;
  output._write = (chunk: Uint8Array, _encoding, done) => {
    try {
      writeFileSync(output.fd, chunk);
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
}
