/** @module trawler/sinks */
export * from '../../src/sinks/index.ts';
