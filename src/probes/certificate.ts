import type { Identifier, Instant } from '../kernel/index.ts';
import type { Attachment } from './attachment.ts';
import { costOf, type ProbeCost } from './cost.ts';
import type { Residue } from './detach.ts';
import type { InspectorPort } from './inspector-port.ts';
import type { ProbePlan } from './request.ts';
import type { Site } from './site.ts';

export type EndReason =
  | 'removed'
  | 'hits'
  | 'expired'
  | 'stall'
  /** The process ended, or wants to. */
  | 'process-ended'
  /** The inspector was closed by somebody else, or a pause took too long and was cut. */
  | 'connection-lost';

/** What was placed where, how it was kept from changing anything, and what is left of it. */
export type Certificate = {
  readonly probe: string;
  readonly process: { readonly pid: number; readonly startTicks: number };
  readonly inspector: InspectorPort;
  readonly place: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly scriptHash: string;
    /** The line as it runs: types are blanks. */
    readonly text: string;
  };
  readonly expressions: readonly string[];
  readonly condition?: string;
  readonly requestId?: string;
  readonly readOnly: {
    readonly beforePlacement: string;
    readonly inTarget: string;
  };
  readonly placedAt: Instant;
  readonly endedAt: Instant;
  readonly hits: number;
  readonly pauses: number;
  readonly predicted: ProbeCost;
  /** On our side of the connection, so that it is at least what the process stood still for. */
  readonly measured: { readonly enableMs: number; readonly stallMs: number };
  readonly residue: Residue;
};

/** How a probe ended. A type and not an interface: it goes into the ledger as JSON. */
export type Removal = {
  readonly reason: EndReason;
  readonly hits: number;
  /** Why the condition could not be evaluated, the first time that it could not. */
  readonly conditionError?: string;
  readonly certificate: Certificate;
};

/** What is known once the breakpoint sits. */
export interface Placement {
  readonly id: Identifier<'probe'>;
  readonly attachment: Attachment;
  readonly plan: ProbePlan;
  readonly site: Site;
  readonly enableMs: number;
  readonly placedAt: Instant;
}

/** What was counted while it was placed. */
export type ProbeCounts = Pick<Certificate, 'hits' | 'pauses'> & { readonly stallMs: number };

export function certify(
  { id, attachment, plan, site, enableMs, placedAt }: Placement,
  { hits, pauses, stallMs }: ProbeCounts,
  residue: Residue,
  endedAt: Instant,
): Certificate {
  const { target, inspector } = attachment;
  const { pid, startTicks } = target;
  const { file, line, column, scriptHash, text } = site;
  return {
    probe: id,
    process: { pid, startTicks },
    inspector,
    place: { file, line, column, scriptHash, text },
    expressions: plan.expressions.map((expression) => expression.text),
    ...(plan.condition ? { condition: plan.condition.text } : {}),
    ...(plan.requestId ? { requestId: plan.requestId.text } : {}),
    readOnly,
    placedAt,
    endedAt,
    hits,
    pauses,
    predicted: costOf(plan),
    measured: { enableMs, stallMs },
    residue,
  };
}

const readOnly: Certificate['readOnly'] = {
  beforePlacement: 'parsed by acorn; names, members, literals and operators only',
  inTarget: 'evaluated by V8 with throwOnSideEffect, in the paused frame',
};
