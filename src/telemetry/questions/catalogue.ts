import { changeQuestions } from './changes.ts';
import { failureQuestions } from './failures.ts';
import { hopQuestions } from './hops.ts';
import { logQuestions } from './logs.ts';
import type { Question } from './question.ts';
import { requestQuestions } from './requests.ts';
import { resourceQuestions } from './resources.ts';
import { reportQuestions } from './services.ts';
import { traceQuestions } from './traces.ts';

/** All ready-made questions, in the order of their list. */
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
