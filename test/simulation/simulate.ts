// oxlint-disable-next-line import/no-unassigned-import -- before everything else, because modules keep some of these globals
import './simulatedGlobals.ts';
// oxlint-disable-next-line import/no-unassigned-import -- else it is loaded when a report needs it, in real time
import 'fast-csv';
import { simulate } from './simulateWorlds.ts';

process.exitCode = await simulate(process.argv.slice(2));
process.removeAllListeners('exit'); // what dead processes left open is no news
