export { demandProbe, type DemandProbe } from './demandProbe.ts';
export { failWith, fakeClient, type FakeClient, type FakeClientOptions, type FakeRequest } from './fakeClient.ts';
export { scriptedFactory, type Script, type ScriptedFactory, type ScriptedPage } from './scriptedFactory.ts';
export { VirtualClock, type VirtualClockOptions } from './VirtualClock.ts';
export { MemoryDisk, type DiskFault, type MemoryDiskOptions } from './MemoryDisk.ts';
export { MemoryFileSystem } from './MemoryFileSystem.ts';
export type { DiskStep } from './DiskContent.ts';
