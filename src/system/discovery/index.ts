export { describedRequests } from './described-requests.ts';
export { type Discovery, discover } from './discover.ts';
export { draftConfig } from './draft.ts';
export type { ServiceLanguage } from './found.ts';
export { droppingLanguage, recipeFor } from './propagation.ts';
export { shellLine } from './repository.ts';
export { languageOf } from './service-language.ts';
export { hasRedisServer, postgresServerPrograms } from './store-programs.ts';
export { trialPort } from './trial.ts';
