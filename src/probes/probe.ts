import type { Clock, Identifier, MakeIdentifier } from '../kernel/index.ts';
import type { Capture } from './api-schema.ts';
import { type Attachment, attach } from './attachment.ts';
import type { EndReason, Placement, Removal } from './certificate.ts';
import { costOf, type ProbeCost } from './cost.ts';
import { detach } from './detach.ts';
import { endWithProcess, untilEnd } from './ending.ts';
import { checkRequest, type ProbePlan, type ProbeRequest } from './request.ts';
import { findScript, listScripts, type Scripts } from './script.ts';
import type { InspectorSession } from './session.ts';
import { type Site, setBreakpoint } from './site.ts';
import { checkTarget } from './target.ts';
import { ProbeWatch } from './watch.ts';

export interface ProbeDeps {
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
}

export interface ActiveProbe {
  readonly id: Identifier<'probe'>;
  /** As it was predicted; what it really was is in the certificate. */
  readonly cost: ProbeCost;
  /** From the first one on, also for who comes late; ends with the probe. */
  captures(): AsyncIterable<Capture>;
  /** Also when it ended by itself: gives how it ended. */
  remove(): Promise<Removal>;
  /** Resolves when it has ended, whatever ended it, and has been cleared away. */
  readonly ended: Promise<Removal>;
}

/**
 * Places a read-only probe in a running process that nobody prepared for it. Whatever goes wrong
 * on the way, the process is left as it was found.
 */
export async function placeProbe(request: ProbeRequest, deps: ProbeDeps): Promise<ActiveProbe> {
  return placeChecked(checkRequest(request), deps);
}

/** Behind the first wall: what this is given, the target alone keeps from doing harm. */
export async function placeChecked(plan: ProbePlan, deps: ProbeDeps): Promise<ActiveProbe> {
  const target = await checkTarget(plan.pid);
  const attachment = await attach(target);
  try {
    return await arm(attachment, plan, deps);
  } catch (error) {
    await detach(attachment, false);
    throw error;
  }
}

async function arm(
  attachment: Attachment,
  plan: ProbePlan,
  { clock, makeIdentifier }: ProbeDeps,
): Promise<ActiveProbe> {
  const { session } = attachment;
  const ending = Promise.withResolvers<EndReason>();
  await endWithProcess(session, ending.resolve);
  const { site, scripts, enableMs } = await settle(session, plan, clock);
  const { breakpoint } = site;
  const watch = new ProbeWatch({ session, plan, scripts, clock, breakpoint, end: ending.resolve });
  await session.call('Debugger.setBreakpointsActive', { active: true });
  const id = makeIdentifier('probe');
  const placement: Placement = { id, attachment, plan, site, enableMs, placedAt: clock.now() };
  const ended = untilEnd(placement, watch, ending, clock);
  const remove = (): Promise<Removal> => {
    ending.resolve('removed');
    return ended;
  };
  return { id, cost: costOf(plan), captures: () => watch.captures, remove, ended };
}

interface PlacedProbe {
  readonly site: Site;
  readonly scripts: Scripts;
  readonly enableMs: number;
}

/** Sets the breakpoint but lets nothing stop there yet: who it is has to be known first. */
async function settle(
  session: InspectorSession,
  plan: ProbePlan,
  clock: Clock,
): Promise<PlacedProbe> {
  // A `debugger` statement stops there from now on, and nobody else would let it go on.
  session.on('Debugger.paused', () => void session.call('Debugger.resume').catch(() => {}));
  const began = clock.now();
  const scripts = await listScripts(session);
  const enableMs = clock.now() - began;
  await session.call('Debugger.setBreakpointsActive', { active: false });
  const site = await setBreakpoint(session, await findScript(scripts, plan), plan);
  return { site, scripts, enableMs };
}
