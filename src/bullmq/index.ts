export { leadFlow, type LeadFlowOptions } from './leadFlow.ts';
export { startWorker, type FlowWorker, type StartWorkerOptions } from './startWorker.ts';
export { queueName } from './queueName.ts';
export type { QueueConnection } from './QueueConnection.ts';
