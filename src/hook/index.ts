export { type HarnessCall, harnesses, readPayload } from './harness/index.ts';
export { hookLimits } from './limits.ts';
export { proposalWithFiles } from './look-at-files.ts';
export { type HookProposal, proposalOf } from './proposals.ts';
export { FileFacts } from './shell/file-facts.ts';
