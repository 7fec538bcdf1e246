import {
  cancelTask,
  finishTask,
  moveTask,
  openTask,
  splitTask,
  type TaskRequest,
} from '../../gate/index.ts';
import type { HandlersOf } from '../../http/api.ts';
import { fault } from '../../kernel/index.ts';
import { listTasks, showTask } from '../views/task-view.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function taskHandlers(deps: HandlerDeps): HandlersOf<'task'> {
  const { tasks, ledger } = deps;
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
