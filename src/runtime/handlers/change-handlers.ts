import type { HandlersOf } from '../../http/api.ts';
import type { OperationInput } from '../../http/contract.ts';
import { investigate } from '../../investigate/index.ts';
import type { Actor } from '../../kernel/index.ts';
import { rollBack } from '../../lanes/index.ts';
import {
  calibrate,
  deployAndValidate,
  listVerdicts,
  promotePatch,
  promoteTask,
  proposeChange,
  readCalibration,
  runSuitesOn,
  submitTest,
  verifyChange,
  verifyTask,
} from '../../verify/index.ts';
import { showReport, showVerdict } from '../views/report-view.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { judgedOrNew, passOf } from './resolve-change.ts';

export function changeHandlers(deps: HandlerDeps): HandlersOf<'change'> {
  const { changes, baseline, alerts, investigations } = deps;
  return {
    'POST /v1/tasks/{task}/test': async ({ path, body }, { actor }) =>
      await submitTest(actor, path.task, body, changes),
    'POST /v1/tasks/{task}/change': ({ path, body }, { actor }) =>
      proposeChange(actor, path.task, body.patch, changes),
    'POST /v1/tasks/{task}/verify': async ({ path, query }, { actor }) =>
      await verifyTask(actor, { task: path.task, ...query }, changes),
    'POST /v1/tasks/{task}/promote': async ({ path }, { actor }) =>
      await promoteTask(actor, path.task, changes),
    'POST /v1/promotions': async ({ body: { reason, ...source } }, { actor }) =>
      await promotePatch(actor, { ...(await judgedOrNew(source, deps)), reason }, changes),
    'POST /v1/rollbacks': async ({ body }, { actor }) =>
      await rollBack(actor, body.reason, changes),
    'GET /v1/alerts': () => alerts(),
    'POST /v1/investigations': async ({ body }, { actor }) =>
      await investigate(actor, body, investigations),
    'GET /v1/investigations/{investigation}': ({ path }, { actor }) =>
      showReport(path.investigation, actor, deps.ledger),
    'GET /v1/suites': async () => ({
      suites: Object.entries(deps.config.suites).map(([suite, { command }]) => ({
        suite,
        command,
      })),
    }),
    'POST /v1/suites/run': async ({ body }, { actor }) => await runSuitesOn(actor, body, changes),
    'POST /v1/calibrations': async ({ body }, { actor }) => await calibrate(actor, body, changes),
    'GET /v1/calibrations': async ({ query: { profile = 'quick', atOnce = 1 } }) => {
      const occasion = { profile, services: atOnce };
      const known = await readCalibration(deps.ledger, occasion, changes.clock.now());
      return { calibration: known };
    },
    'GET /v1/verdicts': async ({ query }, { actor }) => ({
      verdicts: await listVerdicts(actor, query.limit, deps.ledger),
    }),
    'GET /v1/verdicts/{verdict}': ({ path }, { actor }) =>
      showVerdict(path.verdict, actor, deps.ledger),
    'GET /v1/passes': ({ query }) => passOf(query.ref, deps),
    'GET /v1/verifications': async (_, { actor }) => ({
      running: changes.progress
        .list()
        .filter((running) => !actor.startsWith('agent:') || running.actor === actor)
        .map(({ stage, ...running }) => ({ ...running, stage: stage ?? openingStage(deps) })),
    }),
    'POST /v1/validations': async ({ body }, { actor }) => {
      const { changes: patch, validation_suite: suite, timeout_minutes: minutes, profile } = body;
      const suites = suite === undefined ? undefined : [suite].flat();
      const request = { patch, base: await baseline.version(), suites, profile };
      const timeoutMs = Math.round(minutes * 60_000);
      return await deployAndValidate(actor, { ...request, timeoutMs }, changes);
    },
    'POST /v1/verdicts': ({ body }, { actor }) => verify(actor, body, deps),
  };
}

type VerdictBody = OperationInput<'POST /v1/verdicts'>['body'];

async function verify(actor: Actor, body: VerdictBody, deps: HandlerDeps) {
  const { patch, ref, worktree, change, base, test, ...wished } = body;
  const resolved = await judgedOrNew({ patch, ref, worktree, change, base }, deps);
  const request = { ...resolved, ...(test ? { test } : {}), ...wished, ref };
  return verifyChange(actor, request, deps.changes);
}

/** Lanes report themselves what they are waiting for. */
function openingStage({ lanes }: HandlerDeps): string {
  return lanes.opening.at(-1)?.stage ?? 'opening lanes';
}
