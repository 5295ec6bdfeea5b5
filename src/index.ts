export { createClient } from './client/createClient.ts';
export { undocumented } from './client/undocumented.ts';
export type { Client, ClientStats, Factories } from './client/Client.ts';
export type { ClientOptions, HealthOptions, RetryOptions } from './client/ClientOptions.ts';
export type { ClientEvent, DriftIssue, HealthState } from './client/ClientEvent.ts';
export type { Factory, PageOf } from './client/Factory.ts';
export type { Page } from './client/Page.ts';
export { systemClock, type Clock } from './client/Clock.ts';
export type { Pace } from './client/rate/Pace.ts';
export { LearntPace } from './client/rate/LearntPace.ts';
export { FixedPace } from './client/rate/FixedPace.ts';

export * from './errors/index.ts';
export * from './operations/index.ts';
