/** @module trawler/flow */
export * from '../../src/flow/index.ts';
