import type { OperationResponse } from '../../../http/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { wholeNumber } from '../../options/whole-number.ts';

export const listLanes: RunCommand = async ({ place, output }) => {
  const { lanes, opening } = await connectDaemon(place).call('GET /v1/lanes', {});
  output.value({ lanes, opening });
  for (const { lane, candidates, owner, expiresAt } of lanes) {
    const services = candidates.map(({ service }) => service).join(', ') || 'the baseline';
    output.line(`${lane}  ${services}`);
    output.line(`    by ${owner}, until ${new Date(expiresAt).toISOString()}`);
  }
  for (const { lane, owner, stage } of opening) output.line(`${lane}  ${stage} …  by ${owner}`);
  if (lanes.length + opening.length === 0) output.line('No lane is open.');
};

export const showLane: RunCommand = async ({ place, output, words: [lane = ''] }) => {
  const shown = await connectDaemon(place).call('GET /v1/lanes/{lane}', { path: { lane } });
  output.value(shown);
  const pids = new Map(shown.processes.map(({ service, pid }) => [service, pid]));
  const state = (service: string): string => {
    const pid = pids.get(service) ?? null;
    return pid === null ? output.tone('bad', 'ended') : output.tone('good', `pid ${pid}`);
  };
  for (const line of laneLines(shown.lane, shown.address, state)) output.line(line);
  return shown.processes.every(({ pid }) => pid !== null) ? exitCodes.ok : exitCodes.bad;
};

export const extendLane: RunCommand = async ({ place, output, words: [lane = ''], options }) => {
  const body = { ttlMs: wholeNumber('--minutes', options.minutes, 30, 1) * 60_000 };
  const client = connectDaemon(place);
  const extended = await client.call('POST /v1/lanes/{lane}/extend', { path: { lane }, body });
  output.value(extended);
  const until = new Date(extended.lane.expiresAt).toISOString();
  output.line(`${output.tone('good', 'open')}  ${lane} until ${until}`);
};

export const closeLane: RunCommand = async ({ place, output, words: [lane = ''] }) => {
  const path = { lane };
  output.value(await connectDaemon(place).call('POST /v1/lanes/{lane}/close', { path }));
  output.line(`${output.tone('good', 'closed')}  ${lane}`);
};

export type ShownLane = OperationResponse<'GET /v1/lanes/{lane}'>['lane'];

/** A lane for people: its candidates, its lifetime, and how to reach it. */
export function laneLines(
  lane: ShownLane,
  address: string,
  state: (service: string) => string,
): string[] {
  const candidates = lane.candidates.map(
    ({ service, port, version }) =>
      `    ${service.padEnd(12)} ${version.padEnd(8)} :${port}  ${state(service)}`,
  );
  const data = lane.data
    .filter(({ mode }) => mode !== 'shared')
    .map(({ store, mode, branch }) => `    ${store.padEnd(12)} ${mode.padEnd(8)} ${branch ?? ''}`);
  return [
    lane.lane,
    ...candidates,
    ...data,
    ...(lane.on === null ? [] : [`    on top of    ${lane.on}`]),
    ...(lane.controlOf === null ? [] : [`    compares     ${lane.controlOf}`]),
    `    owner        ${lane.owner}`,
    `    until        ${iso(lane.expiresAt)}, at most ${iso(lane.endsAtMost)}`,
    `    reach it     surety lane curl ${lane.lane} <path>`,
    `                 or ${address} with the header  baggage: surety-lane=${lane.lane}`,
  ].map((line) => line.trimEnd());
}

const iso = (instant: number): string => new Date(instant).toISOString();
