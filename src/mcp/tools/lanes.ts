import { z } from 'zod';
import { shortText } from '../short.ts';
import { tellList } from '../told.ts';
import { type Tool, tool } from '../tool.ts';

const lane = z.string().min(1).describe('The id that open_lane gave.');

/** Changed services beside the running ones. */
export const laneTools: Readonly<Record<string, Tool>> = {
  get_system: tool({
    title: 'See what runs',
    description: 'Lists the services of the running system, with the version that each runs.',
    input: z.strictObject({}),
    searched: 'the services of surety.yaml and their processes',
    run: async (client, _, options) => {
      const { services } = await client.call('GET /v1/system', {}, options);
      const head = services.length === 0 ? 'There are no services.' : 'Services:';
      const line = ({ service, state, port, commit }: (typeof services)[number]) =>
        `- ${service}: ${state}, port ${port}, version ${commit ?? 'none'}`;
      return tellList({ name: 'services', items: services, line, head });
    },
  }),
  list_lanes: tool({
    title: 'List lanes',
    description: 'Lists the lanes that are open, with what runs in each and when it ends.',
    input: z.strictObject({}),
    searched: 'the open lanes of this system',
    run: async (client, _, options) => {
      const { lanes } = await client.call('GET /v1/lanes', {}, options);
      const head = lanes.length === 0 ? 'No lane is open.' : 'Open lanes:';
      const line = (one: (typeof lanes)[number]) =>
        `- ${one.lane} of ${one.owner}, until ${new Date(one.expiresAt).toISOString()}: ` +
        `${one.candidates.map(({ service }) => service).join(', ') || 'the running version'}`;
      return tellList({ name: 'lanes', items: lanes, line, head });
    },
  }),
  open_lane: tool({
    title: 'Open a lane',
    description:
      'Starts the services that a patch changes beside the running system. Only requests that ' +
      'carry the lane’s key (header baggage: surety-lane=<id>) reach them. It ends by itself.',
    input: z.strictObject({
      patch: z.string().optional().describe('A unified diff; without one, the running version.'),
      ttlMs: z.int().min(1).optional().describe('After how long it ends by itself.'),
    }),
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/lanes', { body }, options);
      const { lane: opened, address } = value;
      const services = opened.candidates.map(({ service }) => service).join(', ');
      const key = `baggage: surety-lane=${opened.lane}`;
      const text = `Lane ${opened.lane} runs ${services || 'no service of its own'}. Send requests to ${address} with the header ${shortText(key)}.`;
      return { value, text };
    },
  }),
  close_lane: tool({
    title: 'Close a lane',
    description: 'Ends everything of a lane at once.',
    input: z.strictObject({ lane }),
    run: async (client, path, options) => {
      const value = await client.call('POST /v1/lanes/{lane}/close', { path }, options);
      return { value, text: `Lane ${value.lane} is closed.` };
    },
  }),
  get_reach: tool({
    title: 'Prove what a lane reached',
    description:
      'Tells whether the requests of a lane were really served by its changed services, hop by ' +
      'hop. A result without reach proves nothing.',
    input: z.strictObject({ lane }),
    searched: 'the hops that the router kept of this lane',
    run: async (client, path, options) => {
      const value = await client.call('GET /v1/lanes/{lane}/reach', { path }, options);
      const { reach, losses, paths, trees } = value;
      const head = reach.proven ? 'Reach is proven.' : `Reach is not proven: ${reach.reason}.`;
      const lost = losses.map((loss) => `Key lost: ${loss}.`);
      const ways = trees.flatMap(({ count, calls }) => [
        `${count} request(s) went this way:`,
        ...calls.map(({ line }) => `  ${line}`),
      ]);
      const text = [head, ...lost, ...ways].join('\n');
      return { value, text: paths.length === 0 ? `${head} No request was seen.` : text };
    },
  }),
};
