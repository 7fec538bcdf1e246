export { type Discovery, discover } from './discover.ts';
export { type ConfigDraft, draftConfig } from './draft.ts';
export { trialPort } from './trial.ts';
