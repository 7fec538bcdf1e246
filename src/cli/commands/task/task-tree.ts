import type { OperationResponse } from '../../../http/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { printJoin } from './joins.ts';
import { taskLine } from './tasks.ts';

type Tree = OperationResponse<'GET /v1/tasks/{task}/tree'>;
type Node = Tree['nodes'][number];

export const drawTaskTree: RunCommand = async ({ place, output, words: [task = ''] }) => {
  const client = connectDaemon(place);
  const tree = await client.call('GET /v1/tasks/{task}/tree', { path: { task } });
  output.value(tree);
  tree.nodes.forEach((node, index) => {
    drawNode(node, branchesBefore(tree.nodes, index), output);
  });
  if (tree.isCut) output.line(`… and more: these are the first ${tree.nodes.length}.`);
};

interface Branches {
  /** In front of the task itself. */
  readonly head: string;
  /** In front of what belongs to it. */
  readonly below: string;
}

/** `├── ` before a task with later siblings, `└── ` before the last one. */
function branchesBefore(nodes: readonly Node[], index: number): Branches {
  const { depth } = nodes[index] as Node;
  if (depth === 0) return { head: '', below: '' };
  const levels = Array.from({ length: depth }, (_, level) => hasLater(nodes, index, level + 1));
  const above = levels.slice(0, -1).map((more) => (more ? '│   ' : '    '));
  const isLast = levels.at(-1) === false;
  const before = above.join('');
  return {
    head: before + (isLast ? '└── ' : '├── '),
    below: before + (isLast ? '    ' : '│   '),
  };
}

/** Whether another task of this depth follows before the branch ends. */
function hasLater(nodes: readonly Node[], index: number, depth: number): boolean {
  for (const { depth: other } of nodes.slice(index + 1)) {
    if (other < depth) return false;
    if (other === depth) return true;
  }
  return false;
}

function drawNode({ task, grade, joins }: Node, { head, below }: Branches, output: Output): void {
  output.line(head + taskLine(task, output));
  if (task.goal !== null) output.line(`${below}    ${task.goal}`);
  if (task.lease?.isLost) output.line(`${below}    ${output.tone('bad', 'its agent is gone')}`);
  if (task.replacedBy) output.line(`${below}    replaced by ${task.replacedBy}`);
  if (grade) {
    const said = grade.accepted ? output.tone('good', 'accepted') : output.tone('bad', 'refused');
    output.line(`${below}    ${said} by ${grade.grader}`);
  }
  for (const join of joins) printJoin(join, output, `${below}    `);
}
