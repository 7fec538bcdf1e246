import type { TaskHandlers } from '../http/api.ts';
import { investigate } from '../investigate/index.ts';
import {
  openTask,
  promoteTask,
  promoteUnproven,
  proposeChange,
  submitTest,
  type VerifiedChange,
  verifyChange,
  verifyTask,
} from '../verify/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function taskHandlers(deps: HandlerDeps): TaskHandlers {
  const { tasks, findTask, baseline, alerts, investigations } = deps;
  return {
    'POST /v1/tasks': async ({ body }, { actor }) => {
      const { task } = await openTask(actor, body.goal, tasks);
      return findTask(task);
    },
    'GET /v1/tasks/{task}': ({ path }) => findTask(path.task),
    'POST /v1/tasks/{task}/test': async ({ path, body }, { actor }) =>
      mutable(await submitTest(actor, path.task, body, tasks)),
    'POST /v1/tasks/{task}/change': ({ path, body }, { actor }) =>
      proposeChange(actor, path.task, body.patch, tasks),
    'POST /v1/tasks/{task}/verify': async ({ path }, { actor }) =>
      showVerdict(await verifyTask(actor, path.task, tasks)),
    'POST /v1/tasks/{task}/promote': async ({ path }, { actor }) =>
      mutable(await promoteTask(actor, path.task, tasks)),
    'POST /v1/promotions': async ({ body }, { actor }) => {
      const request = { patch: body.patch, base: await baseline.version(), reason: body.reason };
      return mutable(await promoteUnproven(actor, request, tasks));
    },
    'GET /v1/alerts': async () => ({ alerts: await alerts() }),
    'POST /v1/investigations': async ({ body }, { actor }) =>
      mutable(await investigate(actor, body.alert ?? null, investigations)),
    'POST /v1/verdicts': async ({ body }, { actor }) => {
      const base = body.base ?? (await baseline.version());
      return showVerdict(await verifyChange(actor, { ...body, base }, tasks));
    },
  };
}

function showVerdict(verdict: VerifiedChange) {
  return mutable(verdict);
}

type Mutable<Value> = Value extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : Value extends object
    ? { -readonly [Key in keyof Value]: Mutable<Value[Key]> }
    : Value;

/** The contract's types are those of zod, which knows no read-only lists. */
function mutable<Value>(value: Value): Mutable<Value> {
  return value as Mutable<Value>;
}
