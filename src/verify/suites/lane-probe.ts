import {
  type Act,
  type Actor,
  canonicalJson,
  committedValue,
  type Json,
  sha256,
} from '../../kernel/index.ts';
import type { Lane } from '../../lanes/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type ActiveProbe, type ProbeDeps, placeProbe, type Removal } from '../../probes/index.ts';

/** What to read, where: a snapshot in the processes of one service. */
export interface LanePoint {
  readonly service: string;
  readonly pids: readonly number[];
  /** The path in the repository: an end of the path that the process has loaded. */
  readonly file: string;
  readonly line?: number;
  readonly function?: string;
  readonly expressions: readonly string[];
  readonly condition?: string;
  readonly hitsMax: number;
  readonly ttlMs: number;
}

export interface LaneProbeDeps extends ProbeDeps {
  readonly act: Act;
  readonly ledger: Pick<Ledger, 'append'>;
}

export interface LaneProbe {
  readonly probe: ActiveProbe;
  /** Removes it and records what it saw, so that `surety probe show` finds it. */
  end(): Promise<Removal>;
}

/** Surety's own probe for requests in a lane: a proposal like any other, with its certificate. */
export async function placeLaneProbe(
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
  { service, ...point }: LanePoint,
  { lane }: Pick<Lane, 'lane'>,
  deps: LaneProbeDeps,
): Promise<LaneProbe> {
  const request = { ...point, pids: [...point.pids], expressions: [...point.expressions] };
  let placed: ActiveProbe | undefined;
  const arguments_ = { ...request, service, lane };
  const outcome = await deps.act(
    { actor, tool: 'probe.place', arguments: arguments_ },
    async () => {
      placed = await placeProbe(request, deps);
      return { probe: placed.id };
    },
  );
  committedValue(outcome);
  const probe = placed as ActiveProbe;
  const facts = { service, lane, file: point.file, owner: actor, reason };
  return { probe, end: () => endProbe(facts, probe, deps) };
}

interface ProbeFacts {
  readonly service: string;
  readonly lane: string;
  readonly file: string;
  readonly owner: Actor;
  readonly reason: string;
}

async function endProbe(
  facts: ProbeFacts,
  probe: ActiveProbe,
  { ledger }: LaneProbeDeps,
): Promise<Removal> {
  const removal = await probe.remove();
  const { reason, hits, certificate } = removal;
  const { service, lane, owner } = facts;
  const [first] = probe.instances();
  const value = {
    ...facts,
    probe: probe.id,
    kind: 'snapshot',
    line: first?.place?.line ?? 0,
    function: first?.place?.function ?? '',
    placedAt: probe.placedAt,
    expiresAt: probe.expiresAt,
    instances: probe.instances(),
    ended: { reason, at: certificate.endedAt, certificate: certificate as Json },
    captures: probe.captures.kept,
  } as Json;
  const hash = sha256(canonicalJson(certificate as Json));
  const body = { probe: probe.id, service, lane, reason, hits, certificate: hash };
  const contents = [{ name: 'probe', subject: probe.id, value }];
  await ledger.append({ kind: 'probe-ended', actor: owner, body, contents });
  return removal;
}
