import { z } from 'zod';
import type { OperationResponse } from '../../http/index.ts';
import { probePlacementSchema } from '../../probes/api-schema.ts';
import { contextRequestSchema } from '../../probes/context/api-schema.ts';
import { responses, type Tool, tool } from '../tool.ts';
import { formatList, type ToolAnswer } from '../tool-answer.ts';

type Probe = OperationResponse<'GET /v1/probes/{probe}'>;

const input = probePlacementSchema.omit({ pid: true, allowProduction: true }).extend({
  service: z.string().min(1),
  lane: probePlacementSchema.shape.lane.describe('Your lane. Default: the baseline.'),
});
const contextInput = z.strictObject({
  service: z.string().min(1),
  lane: contextRequestSchema.shape.lane.describe('Your lane. Default: the baseline.'),
  file: contextRequestSchema.shape.file,
  lines: z.array(z.int().min(1)).min(1).max(2).describe('First and last line, or one.'),
  forMs: contextRequestSchema.shape.forMs,
  reason: contextRequestSchema.shape.reason,
});
const probe = z.string().min(1).describe('The id from the answer of place_probe.');

/** Read-only probes in running services. */
export const probeTools: Readonly<Record<string, Tool>> = {
  place_probe: tool({
    description:
      'Places a read-only probe at a line or function of a running Node service: a log, a ' +
      'snapshot of the local variables, a counter, a metric, a duration, branches, exceptions or ' +
      'the types of an expression. Nothing is restarted, paused or changed. Then send requests ' +
      '(run_suite, or through your lane) and call read_probe. The probe expires on its own.',
    input,
    output: responses('POST /v1/probes'),
    needs: ['probe.place'],
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/probes', { body }, options);
      const { probe: id, service, instances } = value;
      const next = `Next: let requests reach it, then read_probe {"probe": "${id}"}.`;
      const places = instances.map(({ place }) => formatPlace(place)).join('; ');
      return { value, text: `Probe ${id} is placed in ${service} at ${places}. ${next}` };
    },
  }),
  check_probe: tool({
    description:
      'Checks a probe without placing it: the exact place, whether the file on disk is what runs, ' +
      'whether the expressions are read-only, and the predicted cost.',
    input,
    output: responses('POST /v1/probes/check'),
    needs: ['probe.place'],
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/probes/check', { body }, options);
      const lines = value.instances.map(
        ({ pid, place, cost }) =>
          `- pid ${pid}: ${formatPlace(place)}, ${cost.attachMs} ms once and ${cost.perHitMs} ms per hit`,
      );
      return { value, text: ['It can be placed.', ...lines].join('\n') };
    },
  }),
  runtime_context: tool({
    description:
      'Observes lines of a running Node service before you change them: types and shapes of ' +
      'arguments and variables, how often each branch is taken, callers, answers that the code ' +
      'awaits, and how long functions take. Takes as long as forMs says, 5 seconds by default; ' +
      'requests must reach the lines meanwhile. Nothing stays in the service.',
    input: contextInput,
    searched: 'these lines, while requests reached them',
    output: responses('POST /v1/probes/context'),
    needs: ['probe.place'],
    run: async (client, { lines, forMs, ...rest }, options) => {
      const [fromLine = 1, toLine = fromLine] = lines;
      const body = { ...rest, fromLine, toLine, ...(forMs === undefined ? {} : { forMs }) };
      const value = await client.call('POST /v1/probes/context', { body }, options);
      return { value, text: formatContext(value) };
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

type Context = OperationResponse<'POST /v1/probes/context'>;

function formatContext(value: Context): string {
  const { file, fromLine, toLine, observedMs, functions, branches, values, missing } = value;
  return [
    `${file}:${fromLine}-${toLine}, observed for ${observedMs} ms in pid ${value.pid}.`,
    ...functions.map((one) => formatFunction(one)),
    ...branches.map(({ line, text, ways }) => `- line ${line}: ${text} → ${JSON.stringify(ways)}`),
    ...values.map(
      ({ line, expression, isAnswer, types }) =>
        `- line ${line}: ${expression}${isAnswer ? ' (awaited)' : ''} is ${JSON.stringify(types)}`,
    ),
    ...missing.map(({ line, what, reason }) => `- line ${line}: no ${what}: ${reason}`),
  ].join('\n');
}

function formatFunction(one: Context['functions'][number]): string {
  const { callers, durationMs } = one;
  const from = callers.map((caller) => `${caller.function || '(anonymous)'} (${caller.count})`);
  const parts = [
    `- ${one.function}: about ${one.calls} calls`,
    ...(durationMs ? [`p50 ${durationMs.p50} ms, p99 ${durationMs.p99} ms`] : []),
    ...(from.length > 0 ? [`called by ${from.join(', ')}`] : []),
    `arguments ${JSON.stringify(one.arguments)}`,
  ];
  return parts.join('; ');
}

function formatProbe(value: Probe): ToolAnswer {
  const { captures, ended, placedAt, ...rest } = value;
  const state = ended ? `ended: ${ended.reason}` : 'still placed';
  const seen = captures.length === 0 ? 'It has captured no values' : `${captures.length} captures`;
  const counted = value.instances.map(({ pid, summary }) => formatSummary(pid, summary)).join(' ');
  const range = ended ? { range: { from: placedAt, until: ended.at } } : {};
  return formatList({
    name: 'captures',
    items: captures,
    line: ({ hit, message, values }) => `- hit ${hit}: ${message ?? JSON.stringify(values)}`,
    head: `${seen} at ${value.file}:${value.line} of ${value.service} (${state}). ${counted}`,
    more: { ...rest, placedAt, ended },
    ...range,
  });
}

type Instance = Probe['instances'][number];

function formatPlace(place: Instance['place']): string {
  if (!place) return 'a file that is not loaded yet';
  const drift = place.drift ? ` (${place.drift})` : '';
  return `${place.file}:${place.line} in ${place.function}${drift}`;
}

function formatSummary(pid: number, summary: Instance['summary']): string {
  if (!summary) return `pid ${pid}: no hit yet.`;
  const { hits, evaluated, estimatedHits, distribution, tally, error } = summary;
  const parts = [
    `pid ${pid}: ${hits} hits, evaluated ${evaluated} of about ${estimatedHits}`,
    ...(distribution ? [`distribution ${JSON.stringify(distribution)}`] : []),
    ...(tally ? [`counts ${JSON.stringify(tally)}`] : []),
    ...(error ? [`not readable: ${error}`] : []),
  ];
  return `${parts.join('; ')}.`;
}
