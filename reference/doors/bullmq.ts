/** @module trawler/bullmq */
export * from '../../src/bullmq/index.ts';
