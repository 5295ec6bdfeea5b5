#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { runCommand } from './runCommand.ts';
import { typedProgram } from './typedProgram.ts';
import { stopSignal } from './stopSignal.ts';
import { writeWhole } from './writeWhole.ts';

// Node has it from 22.1 on: what a command loads is compiled once, not each time.
(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
process.on('SIGUSR1', () => undefined); // else Node opens its debugger; a run prints what it waits for
const { stdin, stdout, stderr, env } = process;
writeWhole(stdout);
const program = typedProgram(process.argv[1]!, { flags: process.execArgv, cwd: process.cwd(), platform: process.platform });
const signal = stopSignal(process, stdout, stderr, (code) => process.exit(code));
// Sets the code and doesn't exit, because pending writes would be lost.
process.exitCode = await runCommand(process.argv.slice(2), { stdin, stdout, stderr, env, signal, program });
