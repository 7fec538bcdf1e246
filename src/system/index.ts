export {
  affectedServices,
  CodeGraph,
  type MentionCache,
  type Version,
  type VersionFiles,
} from './affected/index.ts';
export type { Config, ServiceConfig } from './complete.ts';
export { defaultConfig, parseConfig, readConfig } from './config.ts';
export {
  type Discovery,
  describedRequests,
  discover,
  draftConfig,
  droppingLanguage,
  hasRedisServer,
  languageOf,
  postgresServerPrograms,
  recipeFor,
  type ServiceLanguage,
  type ServiceRoutes,
  serviceCode,
  serviceRoutes,
  shellLine,
  trialPort,
} from './discovery/index.ts';
export { execScript } from './exec-script.ts';
export type { KubernetesConfig, PodConfig } from './kubernetes-schema.ts';
export type { ModelProvider, ModelProviders } from './models-schema.ts';
export { withOverlay } from './overlay.ts';
export { isWithin, plainPath, servicesOf } from './ownership.ts';
export { type AlertConfig, configSchema, type ReadKind, type UnexecutedRule } from './schema.ts';
export type { SloConfig } from './slo-schema.ts';
export { startOrder } from './start-order.ts';
export type { SuiteConfig } from './suite-schema.ts';
export { isTestFile } from './test-file.ts';
