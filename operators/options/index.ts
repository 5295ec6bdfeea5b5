export { OptionKind } from './OptionSet.ts';
export { declareOptions, optionError, type Filled } from './OptionSet.ts';
export { anything, callback, flag, group, having, like, number, oneOf, signal, tableOf, text, whole } from './kinds.ts';
