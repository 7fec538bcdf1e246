import { z } from 'zod';
import { laneExtensionSchema, laneRequestSchema, logQuerySchema } from '../../lanes/api-schema.ts';
import { laneCheckRequestSchema } from '../../verify/preflight/api-schema.ts';
import { shortText } from '../short.ts';
import { responses, type Tool, tool } from '../tool.ts';
import { formatList } from '../tool-answer.ts';

const request = laneRequestSchema.shape;
const logQuery = logQuerySchema.shape;
const lane = z.string().min(1).describe('The id from the answer of open_lane.');

/** Changed services beside the running ones. */
export const laneTools: Readonly<Record<string, Tool>> = {
  get_system: tool({
    description: 'Lists the services of the baseline with their versions.',
    input: z.strictObject({}),
    searched: 'the services of surety.yaml and their processes',
    output: responses('GET /v1/system'),
    run: async (client, _, options) => {
      const { services } = await client.call('GET /v1/system', {}, options);
      const head = services.length === 0 ? 'There are no services.' : 'Services:';
      const line = ({ service, state, port, commit }: (typeof services)[number]) =>
        `- ${service}: ${state}, port ${port}, version ${commit ?? 'none'}`;
      return formatList({ name: 'services', items: services, line, head });
    },
  }),
  list_lanes: tool({
    description: 'Lists the open lanes, with the services in each and when it ends.',
    input: z.strictObject({}),
    searched: 'the open lanes of this system',
    output: responses('GET /v1/lanes'),
    needs: ['lane.open'],
    run: async (client, _, options) => {
      const { lanes } = await client.call('GET /v1/lanes', {}, options);
      const head = lanes.length === 0 ? 'No lane is open.' : 'Open lanes:';
      const line = (one: (typeof lanes)[number]) =>
        `- ${one.lane} of ${one.owner}, until ${new Date(one.expiresAt).toISOString()}: ` +
        `${one.candidates.map(({ service }) => service).join(', ') || 'the running version'}`;
      return formatList({ name: 'lanes', items: lanes, line, head });
    },
  }),
  open_lane: tool({
    description:
      'Starts the services that a patch changes beside the baseline. Only requests with the ' +
      'lane’s key (header baggage: surety-lane=<id>) reach them. The lane expires on its own.',
    input: z.strictObject({
      patch: request.patch.describe('A unified diff. Default: the baseline, unchanged.'),
      ref: request.ref.describe('Instead of a patch: a branch or commit of the repository.'),
      worktree: request.worktree.describe('Instead of a patch: the current files of the checkout.'),
      ttlMs: request.ttlMs.describe('The lifetime of the lane.'),
      callers: request.callers.describe(
        'Unchanged callers of the change: shared, own copies, or auto. Default: as in surety.yaml.',
      ),
    }),
    output: responses('POST /v1/lanes'),
    needs: ['lane.open'],
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/lanes', { body }, options);
      const { lane: opened, address } = value;
      const services = opened.candidates.map(({ service }) => service).join(', ');
      const key = `baggage: surety-lane=${opened.lane}`;
      const text = `Lane ${opened.lane} runs ${services || 'no service of its own'}. Send requests to ${address} with the header ${shortText(key)}.`;
      return { value, text };
    },
  }),
  check_lanes: tool({
    description:
      'Sends the requests of the suites, of recorded traffic and of OpenAPI through a lane of the ' +
      'baseline, and reports which services lose the key of a lane, with the cause and the fix. ' +
      'Use it if reach is not proven.',
    input: z.strictObject({
      suites: laneCheckRequestSchema.shape.suites.describe('Default: all suites.'),
    }),
    output: responses('POST /v1/lanes/check'),
    needs: ['suite.run'],
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/lanes/check', { body }, options);
      const { losses, calls, unchecked, routes } = value;
      const head = losses.some(({ key }) => key === 'lost')
        ? 'Some calls lost the key.'
        : `No call lost the key, in requests of ${routes.length} routes.`;
      const text = [
        head,
        ...calls.map(({ from, to, key, count }) => `${key}: ${from ?? 'client'} → ${to}, ${count}`),
        ...losses.map(({ cause, fix }) => `${cause}. Fix: ${fix}.`),
        ...unchecked.map(({ service, why }) => `Not checked: ${service}, because ${why}.`),
      ].join('\n');
      return { value, text };
    },
  }),
  close_lane: tool({
    description: 'Ends a lane and everything in it at once.',
    input: z.strictObject({ lane }),
    output: responses('POST /v1/lanes/{lane}/close'),
    needs: ['lane.close'],
    run: async (client, path, options) => {
      const value = await client.call('POST /v1/lanes/{lane}/close', { path }, options);
      return { value, text: `Lane ${value.lane} is closed.` };
    },
  }),
  query_logs: tool({
    description:
      'Shows log lines of the changed services in one of your lanes, newest last. With request, ' +
      'shows the lines of all services that name that request. Secrets are removed.',
    input: z.strictObject({
      lane,
      service: logQuery.service.describe('Only this service.'),
      matching: logQuery.matching.describe('Only lines that contain this text.'),
      request: logQuery.request.describe('The x-request-id of one of the lane’s requests.'),
    }),
    searched: 'the logs of the lane',
    output: responses('GET /v1/lanes/{lane}/logs'),
    needs: ['lane.open'],
    run: async (client, { lane: id, ...query }, options) => {
      const input = { path: { lane: id }, query };
      const found = await client.call('GET /v1/lanes/{lane}/logs', input, options);
      const { lines, from, until, omitted } = found;
      const logs = found.searched.map(({ log, lines: count }) => `${log} (${count} lines)`);
      const older = omitted > 0 ? ` ${omitted} older lines match, too.` : '';
      return formatList({
        name: 'lines',
        items: lines,
        line: ({ log, line }) => `${log}  ${line}`,
        head: lines.length === 0 ? 'No line matches.' : `${lines.length} lines.${older}`,
        more: { lane: id, omitted },
        searched: logs.join(', ') || 'no log: nothing of this lane has logged anything',
        range: { from, until },
      });
    },
  }),
  extend_lane: tool({
    description: 'Extends one of your lanes by this time from now, up to its longest lifetime.',
    input: z.strictObject({ lane, ...laneExtensionSchema.shape }),
    output: responses('POST /v1/lanes/{lane}/extend'),
    needs: ['lane.extend'],
    run: async (client, { lane: id, ttlMs }, options) => {
      const input = { path: { lane: id }, body: { ttlMs } };
      const value = await client.call('POST /v1/lanes/{lane}/extend', input, options);
      const until = new Date(value.lane.expiresAt).toISOString();
      return { value, text: `Lane ${id} lives until ${until}.` };
    },
  }),
  get_reach: tool({
    description:
      'Shows whether the changed services of a lane really served its requests, hop by hop. A ' +
      'result without reach proves nothing.',
    input: z.strictObject({ lane }),
    searched: 'the hops of this lane that the router kept',
    output: responses('GET /v1/lanes/{lane}/reach'),
    needs: ['lane.open'],
    run: async (client, path, options) => {
      const value = await client.call('GET /v1/lanes/{lane}/reach', { path, query: {} }, options);
      const { reach, losses, paths, trees } = value;
      const head = reach.proven ? 'Reach is proven.' : `Reach is not proven: ${reach.reason}.`;
      // A missing call may have had no reason: a model must not take it for a loss.
      const lost = losses.map((loss, index) => {
        const { how } = reach.lost[index] ?? {};
        if (how === 'shared') return `Key maybe lost: ${loss}.`;
        return how === 'silent' ? `No call seen: ${loss}.` : `Key lost: ${loss}.`;
      });
      const ways = trees.flatMap(({ count, calls }) => [
        `${count} request(s) went this way:`,
        ...calls.map(({ line }) => `  ${line}`),
      ]);
      const text = [head, ...new Set(lost), ...ways].join('\n');
      return { value, text: paths.length === 0 ? `${head} No request was seen.` : text };
    },
  }),
};
