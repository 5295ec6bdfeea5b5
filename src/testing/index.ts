export { demandProbe, type DemandProbe } from './demandProbe.ts';
export { failWith, fakeClient, type FakeClient, type FakeClientOptions, type FakeRequest } from './fakeClient.ts';
export { scriptedFactory, type Script, type ScriptedFactory, type ScriptedPage } from './scriptedFactory.ts';
export { VirtualClock, type VirtualClockOptions } from './VirtualClock.ts';
