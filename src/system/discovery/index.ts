export { type Discovery, discover } from './discover.ts';
export { type Draft, draftConfig } from './draft.ts';
export { trialPort } from './trial.ts';
