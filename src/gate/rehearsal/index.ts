export type { JudgedStep } from '../api-schema.ts';
export { checkPlan } from './plan.ts';
export { readCases } from './read-cases.ts';
export { type CaseResult, runCases } from './run-cases.ts';
