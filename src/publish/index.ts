export { checkTarget, type FlowIdentity } from './checkTarget.ts';
export { openTarget, type OpenTargetOptions } from './openTarget.ts';
export { publishFolder, type PublishEvent, type PublishOptions, type PublishReport } from './publishFolder.ts';
