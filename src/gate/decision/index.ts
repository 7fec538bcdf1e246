export type { RuleFinding } from '../api-schema.ts';
export { behaviourMark } from './behaviour-mark.ts';
export { type Decision, decide, decisionKeys, type PreparedQuestion, prepare } from './decide.ts';
export type { ApprovalNeed } from './judge-approval.ts';
export { judgeEach } from './judge-rules.ts';
export { type DecisionInput, type ExpressionInput, modeOf, valuesOf } from './question.ts';
