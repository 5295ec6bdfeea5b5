#!/usr/bin/env node
import { runCommand } from './runCommand.ts';
import { typedProgram } from './typedProgram.ts';
import { stopSignal } from './stopSignal.ts';

process.on('SIGUSR1', () => undefined); // else Node opens its debugger; a run prints what it waits for
const { stdin, stdout, stderr, env } = process;
const program = typedProgram(process.argv[1]!, { flags: process.execArgv, cwd: process.cwd(), platform: process.platform });
const signal = stopSignal(process, stdout, stderr, (code) => process.exit(code));
// Sets the code and doesn't exit, because pending writes would be lost.
process.exitCode = await runCommand(process.argv.slice(2), { stdin, stdout, stderr, env, signal, program });
