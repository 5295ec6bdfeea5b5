export { openTarget, type OpenTargetOptions } from './openTarget.ts';
export {
  checkTarget,
  type FlowIdentity,
  publishFolder,
  type PublishEvent,
  type PublishOptions,
  type PublishReport,
} from './publishFolder.ts';
