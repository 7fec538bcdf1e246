import type { KnownChange } from './corpus-changes.ts';
import { type CorpusSystem, suretyOn, type Told } from './corpus-system.ts';

/** What Surety said about a change, as far as the table needs it. */
export interface SuretySaid {
  readonly status: 'pass' | 'fail' | 'inconclusive' | 'fault';
  readonly reason: string;
  readonly seconds: number;
  readonly profile: string;
  readonly first: FirstFinding | null;
  readonly findings: number;
  readonly checksFailed: number;
  readonly notices: readonly string[];
  /** How much of the change ran; null without a verdict, and where nothing was recorded. */
  readonly coverage?: string | null;
  /** The whole answer, for whoever asks why. */
  readonly answer?: Told['value'];
}

export interface FirstFinding {
  readonly class: string;
  readonly service: string | null;
  readonly what: string;
  readonly hop: string | null;
}

const secondsMax = 900;

export async function askSurety(
  system: CorpusSystem,
  change: KnownChange,
  profile: 'quick' | 'full',
): Promise<SuretySaid> {
  const started = performance.now();
  const file = system.patchFile(change);
  const words = ['verify', '--patch', file, '--profile', profile];
  const told = await suretyOn(system, file, words, secondsMax);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return { ...saidIn(told), seconds, profile, answer: told.value };
}

/** What is said about a change, without what was asked. */
type Said = Omit<SuretySaid, 'seconds' | 'profile'>;

function saidIn({ code, value }: Told): Said {
  if (typeof value.verdict !== 'string') return faultIn(code, value);
  const { verdict, reason, findings, checks, notices, coverage } = value as unknown as Answered;
  const [first] = findings;
  return {
    status: verdict,
    reason,
    first: first ? firstOf(first) : null,
    findings: findings.length,
    checksFailed: checks.failed,
    notices,
    coverage: coverage?.status ?? null,
  };
}

interface Answered {
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  readonly reason: string;
  readonly findings: readonly Readonly<Record<string, unknown>>[];
  readonly checks: { readonly failed: number };
  readonly notices: readonly string[];
  readonly coverage?: { readonly status: string };
}

/** A finding on the wire is one of the contract; a failed check has its name for what it is. */
function firstOf({ kind, service, what, check, hop, ...more }: Answered['findings'][number]) {
  const named = kind === 'wire' ? 'contract' : (more.class ?? kind);
  return {
    class: String(named),
    service: typeof service === 'string' ? service : null,
    what: String(what ?? check ?? ''),
    hop: typeof hop === 'string' ? hop : null,
  };
}

/** No verdict at all: the change was refused before it could be judged. */
function faultIn(code: number | null, value: Told['value']): Said {
  const { fault } = value as { fault?: { code: string; message: string } };
  const reason = fault ? `${fault.code}: ${fault.message.split('\n')[0]}` : `ended with ${code}`;
  return { status: 'fault', reason, first: null, findings: 0, checksFailed: 0, notices: [] };
}
