// oxlint-disable-next-line import/no-unassigned-import -- before everything else, because modules keep some of these globals
import './simulatedGlobals.ts';
// oxlint-disable-next-line import/no-unassigned-import -- else it is loaded when a report needs it, in real time
import 'fast-csv';
import { simulate } from './simulateWorlds.ts';

/** Several commands may stand one behind another, with `--` between them. */
const commands: string[][] = [[]];
for (const arg of process.argv.slice(2)) {
  if (arg === '--') commands.push([]);
  else commands.at(-1)!.push(arg);
}
let code = 0;
for (const args of commands) code = Math.max(code, await simulate(args));
process.exitCode = code;
process.removeAllListeners('exit'); // what dead processes left open is no news
