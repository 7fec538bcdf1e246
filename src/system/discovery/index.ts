export { type Discovery, discover } from './discover.ts';
export { draftConfig } from './draft.ts';
export { trialPort } from './trial.ts';
