export type { Mode } from '../api-schema.ts';
export { checkPolicy } from './check/check.ts';
export type { PolicyRemark } from './check/finding.ts';
export { type CodingRule, type CodingSettings, codingSchema } from './coding-schema.ts';
export type {
  BudgetLimit,
  CompiledAgent,
  CompiledArguments,
  CompiledContract,
  CompiledDriftLevel,
  CompiledEvidence,
  CompiledPolicy,
  CompiledRead,
  CompiledRule,
  CompiledStep,
} from './compile/compiled.ts';
export { coversPattern, matchesPattern } from './compile/patterns.ts';
export { fillRunner } from './compile/runner.ts';
export type { PolicyDocument } from './document.ts';
export { foreignMistakes } from './schema/foreign-schema.ts';
export { policyJsonSchema } from './schema/schema-file.ts';
export { resolveReference } from './schema/schema-walk.ts';
export { compilePolicy } from './sources/define.ts';
export { loadPolicy, parsePolicy } from './sources/load.ts';
export { type PolicySource, policyFiles } from './sources/source-files.ts';
export { policyText } from './sources/whole-document.ts';
