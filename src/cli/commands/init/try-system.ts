import { randomUUID } from 'node:crypto';
import type { Client } from '../../../http/index.ts';
import { type FaultReport, isFault, toFault } from '../../../kernel/index.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { exitCodes, type Invocation } from '../../command.ts';
import { connectAsOwner } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { cliLimits } from '../../limits.ts';
import { run as runUp } from '../run/up.ts';
import { withSystemProgress } from '../system/system-progress.ts';

/** What a trial of the whole system showed. */
export interface SystemTrial {
  readonly steps: readonly TrialStep[];
  readonly isGood: boolean;
}

export interface TrialStep {
  readonly step: 'daemon' | 'start' | 'lane' | 'request';
  readonly isGood: boolean;
  readonly text: string;
  readonly fault?: FaultReport;
}

/** Builds and starts the services, and sends a request through a lane with copies of them. */
export async function trySystem(invocation: Invocation): Promise<SystemTrial> {
  const { place, output } = invocation;
  const steps: TrialStep[] = [];
  const attempt = async (
    step: TrialStep['step'],
    work: () => Promise<string>,
  ): Promise<boolean> => {
    try {
      steps.push({ step, isGood: true, text: await work() });
      return true;
    } catch (error) {
      const fault = toFault(error);
      steps.push({ step, isGood: false, text: fault.message, fault: fault.report() });
      return false;
    }
  };
  const client = (): Client => connectAsOwner(place);
  const isUp = await attempt('daemon', () => startDaemon(invocation));
  const isStarted = isUp && (await attempt('start', () => startServices(client(), output)));
  if (isStarted) await tryLane(invocation, client(), attempt);
  return { steps, isGood: steps.every(({ isGood }) => isGood) };
}

async function startDaemon(invocation: Invocation): Promise<string> {
  const quiet: Output = { ...invocation.output, line: () => undefined, value: () => undefined };
  await runUp({ ...invocation, output: quiet });
  return 'Surety runs for this directory';
}

async function startServices(client: Client, output: Output): Promise<string> {
  const { services } = await withSystemProgress(client, output, () =>
    client.call('POST /v1/system/up', { body: {} }, { answerMsMax: cliLimits.systemAnswerMsMax }),
  );
  return `${services.map(({ service, port }) => `${service} :${port}`).join(', ')} built, started and healthy`;
}

type Attempt = (step: TrialStep['step'], work: () => Promise<string>) => Promise<boolean>;

async function tryLane(
  { place, output }: Invocation,
  client: Client,
  attempt: Attempt,
): Promise<void> {
  const { services, ingress } = loadConfig(place);
  const names = Object.keys(services).filter((name) => !services[name]?.isElsewhere);
  let lane: { lane: string; address: string } | undefined;
  output.progress('opening a lane with a copy of each service …');
  const isOpen = await attempt('lane', async () => {
    const body = { services: names, ttlMs: laneMs };
    const options = { answerMsMax: cliLimits.systemAnswerMsMax };
    const opened = await client.call('POST /v1/lanes', { body }, options);
    lane = { lane: opened.lane.lane, address: opened.address };
    return 'a second copy of each service runs beside it, in a lane';
  });
  if (!isOpen || lane === undefined) return;
  const path = (ingress && services[ingress]?.health) || '/';
  const opened = lane;
  if (ingress) await attempt('request', () => sendRequest(opened, path, client));
  await client
    .call('POST /v1/lanes/{lane}/close', { path: { lane: opened.lane } })
    .catch((error) => {
      if (!isFault(error, 'LANE_UNKNOWN')) throw error;
    });
}

const laneMs = 300_000;

async function sendRequest(
  { lane, address }: { readonly lane: string; readonly address: string },
  path: string,
  client: Client,
): Promise<string> {
  const id = randomUUID();
  const headers = { baggage: `surety-lane=${lane}`, 'x-request-id': id };
  const response = await fetch(`${address}${path}`, { headers, redirect: 'manual' });
  await response.body?.cancel();
  const input = { path: { lane }, query: { request: id } };
  const { reach } = await client.call('GET /v1/lanes/{lane}/reach', input);
  const served = reach.candidates.filter((one) => one.served > 0).map(({ service }) => service);
  const by = served.length > 0 ? `, served by the copy of ${served.join(', ')}` : '';
  return `GET ${path} through the lane answered ${response.status}${by}`;
}

/** In the order in which things were tried; a failed one with what to do. */
export function printTrial({ steps }: SystemTrial, output: Output): void {
  for (const { isGood, text, fault } of steps) {
    output.line(`  ${output.tone(isGood ? 'good' : 'bad', isGood ? 'ok  ' : 'fail')}  ${text}`);
    if (fault) output.line(`        ${output.tone('dim', 'try')}  ${fault.remedy}`);
  }
}

export const exitOfTrial = ({ isGood }: SystemTrial): (typeof exitCodes)['ok' | 'bad'] =>
  isGood ? exitCodes.ok : exitCodes.bad;
