export { type Decision, decide, decisionKeys, type PreparedQuestion, prepare } from './decide.ts';
export { judgeEach } from './judge-rules.ts';
export {
  type DecisionInput,
  type ExpressionInput,
  modeOf,
  type RuleFinding,
  valuesOf,
} from './question.ts';
