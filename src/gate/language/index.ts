export { checkPolicy } from './check.ts';
export type {
  BudgetLimit,
  CompiledAgent,
  CompiledContract,
  CompiledEvidence,
  CompiledPolicy,
  CompiledRead,
  CompiledRule,
  CompiledStep,
  CompiledWith,
  Mode,
} from './compiled.ts';
export { compilePolicy, definePolicy } from './define.ts';
export type { PolicyDocument } from './document.ts';
export type { Finding } from './finding.ts';
export { foreignMistakes } from './foreign-schema.ts';
export { loadPolicy, parsePolicy } from './load.ts';
export { coversPattern, matchesPattern } from './patterns.ts';
export { fillRunner } from './runner.ts';
export { policyJsonSchema } from './schema-file.ts';
export { type PolicySource, policyFiles } from './source-files.ts';
export { policyText } from './whole-document.ts';
