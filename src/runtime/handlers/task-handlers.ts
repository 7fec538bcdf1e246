import {
  cancelTask,
  finishTask,
  type GradeRequest,
  gradeTask,
  type JoinRequest,
  moveTask,
  openJoin,
  openTask,
  renewTask,
  splitTask,
  type TaskRequest,
  waitForJoin,
} from '../../gate/index.ts';
import type { HandlersOf } from '../../http/api.ts';
import { fault } from '../../kernel/index.ts';
import { showJoin } from '../views/join-view.ts';
import { listTasks, showTask } from '../views/task-view.ts';
import { showTree } from '../views/tree-view.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function taskHandlers(deps: HandlerDeps): HandlersOf<'task'> {
  const { tasks, ledger, clock } = deps;
  return {
    'POST /v1/tasks': async ({ body: { change, ...body } }, { actor, key }) => {
      const base = await baseOf(change, deps);
      const { task } = await openTask(actor, body as TaskRequest, tasks, { base, key });
      return showTask(task, ledger);
    },
    'GET /v1/tasks': ({ query }, { actor }) => listTasks(query, actor, ledger),
    'GET /v1/tasks/{task}': ({ path }, { actor }) => showTask(path.task, ledger, actor),
    'POST /v1/tasks/{task}/split': async ({ path, body }, { actor, key }) => {
      const { task } = await splitTask(actor, path.task, body as TaskRequest, tasks, { key });
      return showTask(task, ledger);
    },
    'POST /v1/tasks/{task}/finish': async ({ path: { task }, body }, { actor, key }) => {
      await finishTask(actor, task, body.result, tasks, { key });
      return showTask(task, ledger);
    },
    'POST /v1/tasks/{task}/move': async ({ path: { task }, body }, { actor }) => {
      await moveTask(actor, task, body.phase, tasks);
      return showTask(task, ledger);
    },
    'POST /v1/tasks/{task}/renew': async ({ path: { task } }, { actor }) => {
      await renewTask(actor, task, tasks);
      return showTask(task, ledger);
    },
    'POST /v1/tasks/{task}/grade': ({ path, body }, { actor }) =>
      gradeTask(actor, path.task, body as GradeRequest, tasks),
    'POST /v1/tasks/{task}/joins': async ({ path, query, body }, { actor }) => {
      const { join } = await openJoin(actor, path.task, body as JoinRequest, tasks);
      await waitForJoin(join, query.waitMs, { ...tasks, clock });
      return showJoin(join, { ledger, actor, now: clock.now() });
    },
    'GET /v1/joins/{join}': async ({ path: { join }, query }, { actor }) => {
      await showJoin(join, { ledger, actor, now: clock.now() });
      await waitForJoin(join, query.waitMs, { ...tasks, clock });
      return showJoin(join, { ledger, actor, now: clock.now() });
    },
    'GET /v1/tasks/{task}/tree': ({ path }, { actor }) =>
      showTree(path.task, { ledger, actor, now: clock.now() }),
    'POST /v1/tasks/{task}/cancel': ({ path, body }, { actor }) =>
      cancelTask(actor, path.task, body.reason, tasks),
  };
}

/** The version that a change is made for; none for a task without a change. */
async function baseOf(
  change: boolean | undefined,
  { baseline, config }: HandlerDeps,
): Promise<string | undefined> {
  const hasServices = Object.keys(config.services).length > 0;
  if (change === true && !hasServices) throw fault('SYSTEM_EMPTY', { path: 'surety.yaml' });
  return (change ?? hasServices) ? baseline.version() : undefined;
}
