import type { ChangeHandlers } from '../http/api.ts';
import { investigate } from '../investigate/index.ts';
import {
  promoteTask,
  promoteUnproven,
  proposeChange,
  submitTest,
  type VerifiedChange,
  verifyChange,
  verifyTask,
} from '../verify/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function changeHandlers(deps: HandlerDeps): ChangeHandlers {
  const { changes, baseline, alerts, investigations } = deps;
  return {
    'POST /v1/tasks/{task}/test': async ({ path, body }, { actor }) =>
      mutable(await submitTest(actor, path.task, body, changes)),
    'POST /v1/tasks/{task}/change': ({ path, body }, { actor }) =>
      proposeChange(actor, path.task, body.patch, changes),
    'POST /v1/tasks/{task}/verify': async ({ path }, { actor }) =>
      showVerdict(await verifyTask(actor, path.task, changes)),
    'POST /v1/tasks/{task}/promote': async ({ path }, { actor }) =>
      mutable(await promoteTask(actor, path.task, changes)),
    'POST /v1/promotions': async ({ body }, { actor }) => {
      const request = { patch: body.patch, base: await baseline.version(), reason: body.reason };
      return mutable(await promoteUnproven(actor, request, changes));
    },
    'GET /v1/alerts': async () => ({ alerts: await alerts() }),
    'POST /v1/investigations': async ({ body }, { actor }) =>
      mutable(await investigate(actor, body.alert ?? null, investigations)),
    'POST /v1/verdicts': async ({ body }, { actor }) => {
      const base = body.base ?? (await baseline.version());
      return showVerdict(await verifyChange(actor, { ...body, base }, changes));
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
