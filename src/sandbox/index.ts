export { startSandbox, type Sandbox } from './startSandbox.ts';
export type { SandboxOptions } from './SandboxOptions.ts';
export type { SandboxRequest } from './RequestLog.ts';
export type { SandboxRateLimit } from './rateLimit.ts';
export type { Fault, FaultName, FaultWhen } from './faults/faults.ts';
export type { FaultStage } from './faults/wire.ts';
export type { RetryAfter } from './faults/http.ts';
export type { MapOptions } from './world/WorldBase.ts';
