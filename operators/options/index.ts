export { OptionKind } from './OptionSet.ts';
export { declareOptions, optionError, OptionSet, type Filled, type OptionKinds } from './OptionSet.ts';
export { anything, callback, flag, group, having, like, number, oneOf, signal, tableOf, text, whole } from './kinds.ts';
