export { type Decision, decide, decisionKeys, type Prepared, prepare } from './decide.ts';
export { judgeEach } from './judge-rules.ts';
export { type Evaluated, modeOf, type Question, type Said, valuesOf } from './question.ts';
