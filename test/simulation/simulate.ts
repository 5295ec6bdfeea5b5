import './simulatedGlobals.ts';
import 'fast-csv'; // else it is loaded when a report needs it, in real time
import { simulate } from './simulateWorlds.ts';

process.exitCode = await simulate(process.argv.slice(2));
process.removeAllListeners('exit'); // what dead processes left open is no news
