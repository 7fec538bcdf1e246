export { affectedServices, type Version } from './affected-services.ts';
export { CodeGraph, type MentionCache } from './code-graph.ts';
export type { VersionFiles } from './version-files.ts';
