import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HandlersOf } from '../../http/api.ts';
import type { OperationRequest } from '../../http/contract.ts';
import { fault, redactText } from '../../kernel/index.ts';
import type { Lane } from '../../lanes/index.ts';
import { laneLimits } from '../../lanes/limits.ts';
import { checkRead } from '../read-rights.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { checkOwnLane } from './own-lane.ts';

type Query = OperationRequest<'GET /v1/lanes/{lane}/logs'>['query'];

export function logHandlers(deps: HandlerDeps): HandlersOf<'log'> {
  const { lanes, clock, place, config } = deps;
  return {
    'GET /v1/lanes/{lane}/logs': async ({ path, query }, { actor }) => {
      checkRead(config, actor, 'logs', query.service);
      const lane = checkOwnLane(await lanes.find(path.lane), actor);
      const names = await logsToSearch(lane, query, deps);
      const logs = await Promise.all(names.map((name) => readLog(place.logs, name)));
      const { matching = '', request } = query;
      const isAbout = request === undefined ? () => true : naming(request);
      const found = logs.flatMap(({ log, lines }) =>
        lines
          .filter((line) => line.includes(matching) && isAbout(line))
          .map((line) => ({ log, line: redactText(line) }))
          // Filtered after redaction, otherwise a secret could be guessed piece by piece.
          .filter(({ line }) => line.includes(matching)),
      );
      const lines = found.slice(-laneLimits.laneLogLinesMax);
      return {
        lane: lane.lane,
        from: lane.openedAt,
        until: clock.now(),
        searched: logs.map(({ log, lines: all }) => ({ log, lines: all.length })),
        lines,
        omitted: found.length - lines.length,
      };
    },
  };
}

/** Of services that a lane shares, only lines that name one of its own requests. */
async function logsToSearch(
  lane: Lane,
  { service, request }: Query,
  { routes, place }: HandlerDeps,
): Promise<string[]> {
  const own = lane.candidates.filter((one) => one.service === (service ?? one.service));
  if (service !== undefined && own.length === 0) {
    const there = lane.candidates.map((one) => one.service).join(', ') || 'none';
    throw fault('NOT_FOUND', { what: `candidate ${service} in ${lane.lane}; there are: ${there}` });
  }
  if (request === undefined || service !== undefined) return own.map(({ name }) => name);
  const hops = await routes.hops(lane.lane);
  if (!hops.some(({ requestId }) => requestId === request)) {
    throw fault('NOT_FOUND', { what: `request ${request} among the hops of ${lane.lane}` });
  }
  const files = await readdir(place.logs).catch(() => []);
  return files
    .filter((file) => file.endsWith('.log'))
    .map((file) => file.slice(0, -'.log'.length))
    .filter((name) => !ownLogs.has(name) && isShared(name, lane));
}

/** The logs of other lanes are excluded. */
function isShared(name: string, { lane, on }: Lane): boolean {
  return !name.startsWith('lane_') || [lane, on].some((one) => name.startsWith(`${one}.`));
}

/**
 * The sender of a request chooses its id. A short one would match many lines of shared services
 * about others.
 */
function naming(request: string): (line: string) => boolean {
  if (request.length < laneLimits.requestIdCharsMin) {
    const why = `its id needs ${laneLimits.requestIdCharsMin} characters to be told from other words`;
    throw fault('NOT_FOUND', { what: `request ${request} in logs: ${why}` });
  }
  const plain = request.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const word = new RegExp(`(?<![\\w-])${plain}(?![\\w-])`);
  return (line) => word.test(line);
}

/** Logs of Surety itself, not of services. */
const ownLogs = new Set(['daemon', 'keeper', 'router']);

async function readLog(directory: string, log: string) {
  const text = await readFile(join(directory, `${log}.log`), 'utf8').catch(() => '');
  return { log, lines: text.split('\n').filter((line) => line !== '') };
}
