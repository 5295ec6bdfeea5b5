export { leadFlow, type LeadFlowOptions } from './leadFlow.ts';
export { startWorker, type FlowWorker, type StartWorkerOptions } from './startWorker.ts';
export { initQueue, queueName, type QueueConnection } from './QueueConnection.ts';
