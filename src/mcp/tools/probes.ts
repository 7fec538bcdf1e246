import { z } from 'zod';
import type { OperationResponse } from '../../http/index.ts';
import { probePlacementSchema } from '../../probes/api-schema.ts';
import { responses, type Tool, tool } from '../tool.ts';
import { formatList, type ToolAnswer } from '../tool-answer.ts';

type Probe = OperationResponse<'GET /v1/probes/{probe}'>;

const placement = probePlacementSchema.shape;
const probe = z.string().min(1).describe('The id from the answer of place_probe.');

/** Read-only probes in running services. */
export const probeTools: Readonly<Record<string, Tool>> = {
  place_probe: tool({
    description:
      'Places a read-only probe before a line of a running Node service. Each time the line is ' +
      'reached, the probe reads the expressions, without a restart and without changing ' +
      'anything. Then send requests (run_suite, or through your lane) and call read_probe. The ' +
      'probe expires on its own.',
    input: probePlacementSchema.extend({
      service: placement.service.min(1),
      lane: placement.lane.describe('Your lane. Default: the baseline.'),
      line: placement.line.describe('The line number, from 1.'),
      expressions: placement.expressions.describe(
        'Expressions such as order.amount, without function calls.',
      ),
      condition: placement.condition.describe('Capture only hits for which this is truthy.'),
    }),
    output: responses('POST /v1/probes'),
    needs: ['probe.place'],
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/probes', { body }, options);
      const { probe: id, service, file, line } = value;
      const next = `Next: let requests reach it, then read_probe {"probe": "${id}"}.`;
      return { value, text: `Probe ${id} is placed in ${service} at ${file}:${line}. ${next}` };
    },
  }),
  read_probe: tool({
    description:
      'Shows what one of your probes has captured so far: values and callers at each hit.',
    input: z.strictObject({ probe }),
    searched: 'the captures of this probe',
    output: responses('GET /v1/probes/{probe}'),
    needs: ['probe.place'],
    run: async (client, path, options) =>
      formatProbe(await client.call('GET /v1/probes/{probe}', { path }, options)),
  }),
  remove_probe: tool({
    description: 'Ends a probe at once. Its captures stay readable.',
    input: z.strictObject({ probe }),
    output: responses('POST /v1/probes/{probe}/remove'),
    needs: ['probe.place'],
    run: async (client, path, options) => {
      const value = await client.call('POST /v1/probes/{probe}/remove', { path }, options);
      const { text } = formatProbe(value);
      return { value, text, whole: `All of it: read_probe {"probe": "${value.probe}"}.` };
    },
  }),
};

function formatProbe(value: Probe): ToolAnswer {
  const { captures, ended, placedAt, ...rest } = value;
  const state = ended ? `ended: ${ended.reason}` : 'still placed';
  const seen = captures.length === 0 ? 'It has seen nothing' : `${captures.length} hits`;
  const range = ended ? { range: { from: placedAt, until: ended.at } } : {};
  return formatList({
    name: 'captures',
    items: captures,
    line: ({ hit, values }) => `- hit ${hit}: ${JSON.stringify(values)}`,
    head: `${seen} at ${value.file}:${value.line} of ${value.service} (${state}).`,
    more: { ...rest, placedAt, ended },
    ...range,
  });
}
