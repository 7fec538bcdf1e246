import { homedir } from 'node:os';
import {
  type HarnessCall,
  harnesses,
  hookLimits,
  proposalWithFiles,
  readPayload,
} from '../../../hook/index.ts';
import { type Fault, fault, isFault, sha256, toFault } from '../../../kernel/index.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { readAgent } from '../../options/agent-name.ts';
import { connectAgent } from './connect-agent.ts';
import { readHarness } from './harness-name.ts';
import { callKey, keepGrant, takeGrant } from './open-calls.ts';
import { withEvidence } from './with-evidence.ts';

/**
 * The hook that a harness runs before and after each tool call. Standard output belongs to its
 * protocol. Without an answer the harness goes on as if there were no hook.
 */
export const run: RunCommand = async (invocation) => {
  const { options, output } = invocation;
  const name = readHarness('hook', options.harness);
  const harness = harnesses[name] as (typeof harnesses)[string];
  const call = harness.read(readPayload(await readInput()));
  if (!call) return exitCodes.ok;
  if (call.phase === 'after') return settle(name, call, invocation);
  const refused = await decide(name, call, invocation).catch(toFault);
  if (!refused) return exitCodes.ok;
  if (isUnreachable(refused) && options.failOpen === true) {
    output.progress(`surety: ${refused.message}`);
    return exitCodes.ok;
  }
  await output.raw(`${JSON.stringify(harness.denial(formatRefusal(refused)))}\n`);
  return exitCodes.ok;
};

/** The fault for which the call must not run; undefined if it may. */
async function decide(
  harness: string,
  call: HarnessCall,
  { place, options }: Invocation,
): Promise<Fault | undefined> {
  const where = { directory: call.directory, home: homedir(), project: place.root };
  const described = proposalWithFiles(call.action, where);
  if (!described) return undefined;
  const client = connectAgent(place, readAgent('hook', options.agent));
  const proposal = await withEvidence(described, client);
  const body = { ...proposal, audience: 'hook', begins: true };
  const key = callKey(harness, call);
  try {
    const answerMsMax = hookLimits.decisionMsMax;
    const granted = await client.call('POST /v1/grants', { body }, { key, answerMsMax });
    if (granted.status !== 'granted')
      return fault('HOOK_CALL_REPEATED', { proposal: granted.proposal });
    keepGrant(place, harness, call, granted.token);
    return undefined;
  } catch (error) {
    // The harness asks again about a call that was granted and has not ended.
    if (isFault(error, 'PROPOSAL_IN_FLIGHT')) return undefined;
    throw error;
  }
}

const failureCharsMax = 500;

/** After the call nothing can be prevented; what fails here is only told. */
async function settle(harness: string, call: HarnessCall, { place, options }: Invocation) {
  if (call.action.kind === 'harmless') return exitCodes.ok;
  const token = takeGrant(place, harness, call);
  if (token === undefined) throw fault('HOOK_CALL_UNKNOWN', { tool: call.tool });
  const text = JSON.stringify(call.response ?? null);
  const value = { bytes: Buffer.byteLength(text), sha256: sha256(text) };
  const message = (call.failure ?? '').slice(0, failureCharsMax).toWellFormed();
  const report =
    call.failure === null
      ? ({ status: 'committed', value } as const)
      : ({ status: 'failed', code: 'TOOL_FAILED', message } as const);
  const client = connectAgent(place, readAgent('hook', options.agent));
  const answerMsMax = hookLimits.reportMsMax;
  await client.call('POST /v1/grants/settle', { body: { token, report } }, { answerMsMax });
  return exitCodes.ok;
}

/** Nobody decided: the daemon is down, does not answer, or cannot record. */
function isUnreachable({ code }: Fault): boolean {
  return code.startsWith('DAEMON_') || code.startsWith('LEDGER_');
}

/** For the model: what is wrong, and what to do instead. */
function formatRefusal({ message, remedy, details }: Fault): string {
  const rules = Array.isArray(details?.rules) ? (details.rules as readonly Held[]) : [];
  const holds = rules.filter(({ verdict }) => verdict === 'hold');
  const why = holds.map(({ reason, remedy: instead }) => `Because ${reason}. ${instead}`);
  return ['Surety:', message, ...why, remedy].join(' ');
}

interface Held {
  readonly verdict: string;
  readonly reason: string;
  readonly remedy: string;
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    // Enough to be refused; the rest is not kept.
    if (bytes > hookLimits.payloadBytesMax) break;
  }
  return Buffer.concat(chunks);
}
