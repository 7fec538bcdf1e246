import { attempt } from '../../gate/attempt.ts';
import type { Client, OperationResponse } from '../../http/index.ts';
import { apiLimits } from '../../http/limits.ts';
import {
  canonicalJson,
  createClock,
  type Fault,
  type FaultReport,
  fault,
  faultFromReport,
  type Json,
  type Outcome,
  sha256,
  toFault,
} from '../../kernel/index.ts';
import type { GrantClaims } from '../../verify-grant/index.ts';
import { createConnect, type DaemonAddress } from './daemon-connection.ts';
import type { CallGrant, EmbeddedAct, EmbeddedProposal } from './embedded-act.ts';
import type { GateOptions, GuardedGate } from './gate-options.ts';
import { createGuard } from './guard.ts';
import { createGuardTools } from './guarded-tools.ts';
import { Settlements } from './settlements.ts';
import { stderrLog } from './stderr-log.ts';

export type DaemonGateOptions = DaemonAddress &
  GateOptions & {
    /** The name under which this program executes calls; its grants contain it. */
    readonly audience?: string;
  };

type Answer = OperationResponse<'POST /v1/grants'>;
type GrantAnswer = Extract<Answer, { status: 'granted' }>;
type ShownOutcome = OperationResponse<'POST /v1/grants/settle'>;

/** Time left to report the outcome before the daemon gives the call up. */
const settleMsMin = 500;
/** How long a report waits at least for a daemon that is being restarted. */
const patienceMsMin = 2_000;

/** Asks the daemon, executes in this process, and reports the outcome to the daemon. */
export function openDaemonGate(options: DaemonGateOptions): GuardedGate {
  const { audience = 'embedded', agent, log = stderrLog } = options;
  const clock = createClock();
  const connect = createConnect(options);
  const settlements = new Settlements({
    clock,
    onLost: (proposal, error) =>
      log('error', 'settlement-lost', { proposal, reason: toFault(error).message }),
  });

  const act: EmbeddedAct = async <Value extends Json>(
    proposal: EmbeddedProposal,
    run: (grant: CallGrant) => Promise<Value>,
  ) => {
    const answer = await ask(connect(), proposal, audience);
    if (answer.status !== 'granted') return outcomeOf<Value>(answer);
    const { token } = answer;
    const settling = (report: Report) => ({
      proposal: answer.proposal,
      status: report.status,
      send: async () => outcomeOf(await settle(connect(), token, report)),
    });
    const now = clock.now();
    try {
      checkGrant(answer, proposal, agent, now);
    } catch (error) {
      settlements.later(settling(failure(toFault(error))));
      throw error;
    }
    const report = await runGranted(answer, proposal.tool, run, now);
    const patienceMs = Math.max(proposal.waitMs ?? 0, patienceMsMin);
    return (await settlements.settle(settling(report), patienceMs)) as Outcome<Value>;
  };

  const guard = createGuard({ act, register: () => undefined });
  const close = (): Promise<void> => settlements.close();
  return { act, guard, tools: createGuardTools(guard), close, [Symbol.asyncDispose]: close };
}

/** The grant is redeemed as it is made, because the call begins as soon as it is here. */
function ask(client: Client, proposal: EmbeddedProposal, audience: string): Promise<Answer> {
  const { key, ...asked } = proposal;
  const answerMsMax = apiLimits.daemonAnswerMsMax + (proposal.waitMs ?? 0);
  const body = { ...asked, audience, begins: true } as never;
  const options = { answerMsMax, ...(key === undefined ? {} : { key }) };
  return client.call('POST /v1/grants', { body }, options);
}

/** A grant must be for these arguments and this agent and in time, otherwise nothing runs. */
function checkGrant(
  { token, argumentsHash, expiresAt }: GrantAnswer,
  { arguments: given, tool }: EmbeddedProposal,
  agent: string | undefined,
  now: number,
): void {
  const claims = claimsOf(token);
  const hash = sha256(canonicalJson(given));
  const isForThis = argumentsHash === hash && claims.arg === hash && claims.tool === tool;
  if (!isForThis) throw refused('GRANT_OTHER_CALL', 'It is for another call.');
  if (agent !== undefined && claims.sub !== `agent:${agent}`) {
    throw refused('GRANT_OTHER_AGENT', `The token is that of ${claims.sub}, not of ${agent}.`);
  }
  // The daemon has given the call up and may have recovered it.
  if (now >= expiresAt) {
    const hint = 'Try again. If it is refused again, compare the clocks of both machines.';
    throw refused('GRANT_ENDED', 'Its time was over when it arrived.', hint);
  }
}

const otherGrantHint = 'Check which daemon and which token this program uses.';

function refused(refusal: string, reason: string, hint = otherGrantHint): Fault {
  return fault('GRANT_REFUSED', { refusal, reason, remedy: `Nothing was executed. ${hint}` });
}

function claimsOf(token: string): GrantClaims {
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as GrantClaims;
}

type Report =
  | { readonly status: 'committed'; readonly value: Json }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  | { readonly status: 'unknown' };

async function runGranted(
  { proposal, token, argumentsHash, expiresAt, key }: GrantAnswer,
  tool: string,
  run: (grant: CallGrant) => Promise<Json>,
  now: number,
): Promise<Report> {
  const leftMs = expiresAt - now;
  const timeoutMs = Math.max(leftMs - settleMsMin, leftMs / 2, 1);
  const leases = claimsOf(token).fence ?? [];
  const grant = { proposal: proposal as `prop_${string}`, argumentsHash, grantedAt: now };
  const { outcome } = await attempt(
    { ...grant, leases: [], ...(key === null ? {} : { key }) },
    // The contract, which the daemon knows, decides what happens to a call with an unknown outcome.
    { tool, effect: 'mutating', timeoutMs },
    (granted) => run({ ...granted, leases }),
  );
  if (outcome.status === 'failed') return failure(outcome.fault);
  return outcome.status === 'committed'
    ? { status: 'committed', value: outcome.value }
    : { status: 'unknown' };
}

function failure({ code, message, details, cause }: Fault): Report {
  const reason = cause instanceof Error ? cause.message : message;
  return { status: 'failed', code: String(details?.code ?? code), message: reason };
}

function settle(client: Client, token: string, report: Report): Promise<ShownOutcome> {
  const body = { token, report } as never;
  return client.call('POST /v1/grants/settle', { body });
}

function outcomeOf<Value extends Json>(shown: ShownOutcome): Outcome<Value> {
  const { status, proposal } = shown;
  if (status === 'committed') return { status, proposal, value: (shown.value ?? null) as Value };
  if (status === 'unknown') return { status, proposal };
  return { status, proposal, fault: faultFromReport(shown.fault as FaultReport) };
}
