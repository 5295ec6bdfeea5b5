/** @module trawler/operators */
export * from '../../operators/index.ts';
