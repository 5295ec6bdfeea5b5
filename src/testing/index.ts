export { failWith, fakeClient, type FakeClient, type FakeClientOptions, type FakeRequest } from './fakeClient.ts';
export { VirtualClock, type VirtualClockOptions } from './VirtualClock.ts';
