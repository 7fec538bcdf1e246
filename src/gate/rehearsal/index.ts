export { checkPlan, type JudgedStep, type PlannedStep } from './plan.ts';
export { readCases } from './read-cases.ts';
export { type CaseResult, runCases } from './run-cases.ts';
