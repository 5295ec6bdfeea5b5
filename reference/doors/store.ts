/** @module trawler/store */
export * from '../../src/store/index.ts';
