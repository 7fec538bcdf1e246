import { changeQuestions } from './changes.ts';
import { failureQuestions } from './failures.ts';
import { hopQuestions } from './hops.ts';
import { logQuestions } from './logs.ts';
import type { Question } from './question.ts';
import { requestQuestions } from './requests.ts';
import { resourceQuestions } from './resources.ts';
import { reportQuestions } from './services.ts';
import { traceQuestions } from './traces.ts';

/** Everything that can be asked without knowing SQL, in the order in which it is listed. */
export const questions: readonly Question[] = [
  ...requestQuestions,
  ...failureQuestions,
  ...hopQuestions,
  ...traceQuestions,
  ...logQuestions,
  ...changeQuestions,
  ...resourceQuestions,
  ...reportQuestions,
];
