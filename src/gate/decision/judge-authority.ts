import type { Instant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { matchesPattern } from '../language/index.ts';
import { stopOf } from '../stops.ts';
import { type TaskRow, taskKey } from '../tasks/index.ts';
import type { Assessment } from './assess.ts';
import { type DecisionInput, deny, hasEffect, isTaskTool } from './question.ts';

/** Whether a stop is in force for the workspace, this agent or this tool. */
export function judgeStops(question: DecisionInput, rows: ReadRows): RuleFinding[] {
  const stop = stopOf(rows, question.actor, question.tool);
  if (!stop) return [];
  const [scope, reason] = stop;
  const what = scope === 'workspace' ? 'every action of agents' : scope;
  const remedy = `Wait until a person lifts the stop: surety stop --lift ${scope}.`;
  return [deny('stop', `${what} is stopped (${reason})`, remedy)];
}

/**
 * People on this machine and Surety itself may use Surety's tools. An agent may use only the tools
 * of its policy. Nobody may use an undeclared tool.
 */
export function judgeAuthority(question: DecisionInput): RuleFinding[] {
  const { actor, tool, agent, contract, isNative, policy } = question;
  if (!contract && !isNative) {
    const remedy = `Add a contract for it under tools in the policy. ${offer(question)}`;
    return [deny('tool.unknown', 'this tool has no contract', remedy)];
  }
  if (!actor.startsWith('agent:') || agent?.allows(tool)) {
    return [...judgeOwner(question), ...judgeLane(question)];
  }
  const reason = policy ? 'the policy does not grant this tool to the agent' : 'there is no policy';
  const remedy = `Ask a person to do it, or to grant it to you in the policy. ${offer(question)}`;
  return [deny('policy.tools', reason, remedy)];
}

function offer({ agent }: DecisionInput): string {
  const tools = agent?.tools ?? [];
  return tools.length > 0 ? `You may use: ${tools.join(', ')}.` : 'You have no tools.';
}

/** A call for a task is limited to the authority of the task, as recorded in the ledger. */
export function judgeTask(question: DecisionInput, rows: ReadRows, now: Instant): RuleFinding[] {
  const { task, actor, tool } = question;
  if (task === undefined) return [];
  const row = rows.get<TaskRow>(taskKey(task));
  if (!row) return [deny('task.unknown', `there is no task ${task}`, 'Open a task first.')];
  if (row.agent !== actor && actor.startsWith('agent:')) {
    const remedy = 'Work on a task of your own.';
    return [deny('task.owner', `the task belongs to ${row.agent}`, remedy)];
  }
  const isOver = row.expiresAt !== null && now >= row.expiresAt;
  if (row.status !== 'open' || isOver) {
    const state = isOver ? 'expired' : row.status;
    return [deny('task.closed', `the task is ${state}`, 'Open another task.')];
  }
  if (
    row.tools &&
    !isTaskTool(question) &&
    !row.tools.some((pattern) => matchesPattern(pattern, tool))
  ) {
    const remedy = `This task includes: ${row.tools.join(', ')}. Ask the owner of its parent task for more.`;
    return [deny('task.tools', 'the task does not include this tool', remedy)];
  }
  return [];
}

const delegating = new Set(['task.open', 'task.split']);

const laneTools = new Set(['lane.close', 'lane.extend']);

/** A lane belongs to its owner, and people may manage lanes of agents. */
function judgeLane({ tool, isNative, actor, facts }: DecisionInput): RuleFinding[] {
  if (!isNative || !laneTools.has(tool) || !actor.startsWith('agent:')) return [];
  if (facts.owner === actor) return [];
  return [
    deny('lane.owner', `the lane belongs to ${facts.owner}`, 'Work with a lane of your own.'),
  ];
}

/** A task is opened for the caller, or for an agent with a policy. */
function judgeOwner({
  tool,
  isNative,
  actor,
  arguments: given,
  policy,
}: DecisionInput): RuleFinding[] {
  const { agent } = given;
  if (!isNative || !delegating.has(tool) || agent === undefined || agent === actor) return [];
  const known = [...(policy?.agents.keys() ?? [])].map((name) => `agent:${name}`);
  if (known.includes(String(agent))) return [];
  const remedy = `Give it to one of these: ${known.join(', ') || '(the policy has no agents)'}.`;
  return [deny('task.agent', `${agent} is not in the policy`, remedy)];
}

/** The resources of a call must be within those of the agent and the task. */
export function judgeResources(
  question: DecisionInput,
  assessed: Assessment,
  rows: ReadRows,
): RuleFinding[] {
  const task = question.task === undefined ? null : rows.get<TaskRow>(taskKey(question.task));
  const fences = [
    ['agent', question.agent?.resources],
    ['task', task?.resources],
  ] as const;
  const said: RuleFinding[] = [];
  if (fences.every(([, patterns]) => !patterns)) return said;
  for (const resource of assessed.resources) {
    if (resource.split('/').some((part) => part === '.' || part === '..')) {
      const remedy = 'Use the real path, without . and .. in it.';
      said.push(deny('resources.path', `${resource} contains . or ..`, remedy));
    }
    for (const [whose, patterns] of fences) {
      if (!patterns || patterns.some((pattern) => matchesPattern(pattern, resource))) continue;
      const remedy = `Allowed: ${patterns.join(', ') || 'no resource'}.`;
      said.push(
        deny(
          `resources.${whose}`,
          `${resource} is not among the resources of the ${whose}`,
          remedy,
        ),
      );
    }
  }
  return said;
}

export function judgeAutonomy(question: DecisionInput): RuleFinding[] {
  if (question.agent?.autonomy !== 'read-only' || !hasEffect(question)) return [];
  const remedy = 'Use only tools that read, and ask a person for this one.';
  const effect = question.contract?.effect ?? 'one with an effect';
  return [deny('autonomy', `this agent may only read, and the tool is ${effect}`, remedy)];
}
