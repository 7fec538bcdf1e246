export { describedRequests } from './described-requests.ts';
export { type Discovery, discover } from './discover.ts';
export { draftConfig } from './draft.ts';
export { languageOf, type ServiceLanguage } from './service-language.ts';
export { trialPort } from './trial.ts';
