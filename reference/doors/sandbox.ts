/** @module trawler/sandbox */
export * from '../../src/sandbox/index.ts';
