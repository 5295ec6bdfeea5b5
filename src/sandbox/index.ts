export { startSandbox, type Sandbox } from './startSandbox.ts';
export type { SandboxOptions } from './SandboxOptions.ts';
export type { SandboxRequest } from './RequestLog.ts';
export type { SandboxRateLimit } from './rateLimit.ts';
export type { Fault, FaultName, FaultStage, FaultWhen, PlayFault, RetryAfter } from './faults.ts';
export type { MapOptions } from './world/mapOptions.ts';
export type { FaultCall } from './SandboxCall.ts';
