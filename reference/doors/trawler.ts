/** @module trawler */
export * from '../../src/index.ts';
