import type { OperationResponse } from '../http/index.ts';
import { shortText } from './short.ts';
import type { ToolAnswer } from './tool-answer.ts';

type Join = OperationResponse<'GET /v1/joins/{join}'>;

export function formatJoin(value: Join): ToolAnswer {
  const { join, mode, needed, state, reason, children } = value;
  const head =
    state === 'waiting'
      ? `Join ${join} (${mode}) is waiting: ${needed} of ${children.length} children have to count.`
      : `Join ${join} (${mode}) is ${state}: ${reason}.`;
  const next =
    state === 'waiting' ? [`Next: wait_for_join {"join": "${join}"}.`] : ['Next: use the results.'];
  return { value, text: [head, ...children.map(formatChild), ...next].join('\n') };
}

function formatChild({ task, agent, state, missing, result }: Join['children'][number]): string {
  const why = missing.length > 0 ? ` (missing: ${missing.join(', ')})` : '';
  const given = result === null ? '' : `: ${shortText(JSON.stringify(result))}`;
  return `- ${task} by ${agent}, ${state}${why}${given}`;
}
