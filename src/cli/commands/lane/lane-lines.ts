import type { OperationResponse } from '../../../http/index.ts';

export type ShownLane = OperationResponse<'GET /v1/lanes/{lane}'>['lane'];

/** A lane for people: what it is made of, how long, and how to reach it. */
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
