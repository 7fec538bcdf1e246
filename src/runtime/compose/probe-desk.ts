import {
  type Actor,
  canonicalJson,
  committedValue,
  fault,
  type Json,
  type JsonObject,
  type Proposal,
  sha256,
} from '../../kernel/index.ts';
import {
  type ActiveProbe,
  type ContextRequest,
  checkProbe,
  collectContext,
  type ProbeCheck,
  type ProbePlacement,
  type ProbeStatus,
  placeProbe,
  type Removal,
  type RuntimeContext,
} from '../../probes/index.ts';
import { checkOwnLane } from '../handlers/own-lane.ts';
import type { WorkspacePlace } from '../place.ts';
import { findEntry } from '../views/find-entry.ts';
import type { Features } from './features.ts';
import { probeRows, type TellProbe } from './probe-rows.ts';
import { areProbesOff, turnProbes } from './probe-switch.ts';

type ShownProbe = Omit<ProbeStatus, 'ended' | 'captures' | 'instances'>;

/** Which processes are meant. */
type ProbeTarget = Pick<ProbePlacement, 'service' | 'lane' | 'pid'>;

interface PlacedProbe {
  readonly actor: Actor;
  readonly shown: ShownProbe;
  readonly probe: ActiveProbe;
  /** Resolves when the end of the probe is recorded in the ledger. */
  readonly kept: Promise<void>;
}

type DeskDeps = Pick<
  Features,
  'act' | 'ledger' | 'lanes' | 'baseline' | 'investigations' | 'clock'
> & {
  readonly place: Pick<WorkspacePlace, 'state'>;
  /** Puts captures beside logs and traces, if telemetry runs. */
  readonly tell: TellProbe;
};

/** The active probes. Ended ones are in the ledger, with their captures. */
export class ProbeDesk {
  readonly #deps: DeskDeps;
  readonly #placed = new Map<string, PlacedProbe>();

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  async place(actor: Actor, request: ProbePlacement): Promise<ProbeStatus> {
    const { act, investigations } = this.#deps;
    const { service: _, lane: __, pid: ___, allowProduction: ____, ...rest } = request;
    const outcome = await act(await this.#proposal(actor, request), async () => {
      const probe = await placeProbe(
        { ...rest, pids: await this.#target(actor, request) },
        investigations,
      );
      this.#keep(actor, request, probe);
      return { probe: probe.id, instances: probe.instances() as Json };
    });
    return this.read(actor, String((committedValue(outcome) as JsonObject).probe));
  }

  /** A dry run: nothing stays in the processes, but they are attached to, as for a probe. */
  async check(actor: Actor, request: ProbePlacement): Promise<ProbeCheck> {
    const { act, investigations } = this.#deps;
    const { service: _, lane: __, pid: ___, allowProduction: ____, ...rest } = request;
    const proposal = await this.#proposal(actor, request);
    const dryRun = { ...proposal, arguments: { ...proposal.arguments, dryRun: true } };
    const outcome = await act(dryRun, async () => {
      const pids = await this.#target(actor, request);
      return (await checkProbe({ ...rest, pids }, investigations)) as Json;
    });
    return committedValue(outcome) as ProbeCheck;
  }

  /** What is observed at lines of code; the probes for it are gone when this resolves. */
  async context(actor: Actor, request: ContextRequest): Promise<RuntimeContext> {
    const { act, investigations } = this.#deps;
    await this.#target(actor, request);
    const { service = null, lane = null } = request;
    const arguments_ = { ...request, service, lane } as JsonObject;
    const outcome = await act({ actor, tool: 'probe.place', arguments: arguments_ }, async () => {
      const pids = await this.#target(actor, request);
      return (await collectContext({ ...request, pids }, investigations)) as Json;
    });
    return committedValue(outcome) as RuntimeContext;
  }

  list(actor: Actor): { probes: ProbeStatus[]; isOff: boolean } {
    const seen = [...this.#placed.values()].filter((placed) => mayLook(actor, placed.actor));
    return {
      probes: seen.map((placed) => statusOf(placed)),
      isOff: areProbesOff(this.#deps.place.state),
    };
  }

  async read(actor: Actor, id: string): Promise<ProbeStatus> {
    const placed = this.#placed.get(id);
    if (!placed) return this.#readKept(actor, id);
    if (!mayLook(actor, placed.actor)) throw fault('NOT_FOUND', { what: `probe ${id}` });
    return statusOf(placed);
  }

  async remove(actor: Actor, id: string): Promise<ProbeStatus> {
    const placed = this.#placed.get(id);
    if (placed && mayLook(actor, placed.actor)) {
      await placed.probe.remove();
      await placed.kept;
    }
    return this.read(actor, id);
  }

  /** The switch for all probes: off removes them, and refuses new ones. */
  async turn(actor: Actor, isOff: boolean): Promise<{ probes: ProbeStatus[]; isOff: boolean }> {
    turnProbes(this.#deps.place.state, isOff);
    await this.#deps.ledger.append({ kind: 'probes-switched', actor, body: { isOff } });
    if (isOff) await this.close();
    return this.list(actor);
  }

  /** A probe ends with the daemon anyway; this also records its end. */
  async close(): Promise<void> {
    const all = [...this.#placed.values()];
    await Promise.allSettled(all.map(({ probe, kept }) => probe.remove().then(() => kept)));
  }

  /** Refuses at once what is bound to be refused later. */
  async #proposal(actor: Actor, request: ProbePlacement): Promise<Proposal> {
    if (request.allowStall && actor.startsWith('agent:')) {
      const reason = 'an agent must not allow a stall; a person may';
      throw fault('PROBE_REQUEST_INVALID', { field: 'allowStall', reason, allowed: 'false' });
    }
    await this.#target(actor, request);
    const { service = null, lane = null } = request;
    const arguments_ = { ...request, service, lane } as JsonObject;
    return { actor, tool: 'probe.place', arguments: arguments_ };
  }

  /** The processes as they are now: an approval may come late, and services may have restarted. */
  async #target(actor: Actor, request: ProbeTarget): Promise<readonly number[]> {
    this.#deps.investigations.processes.checkSwitch();
    return this.#find(actor, request);
  }

  /** Agents name a service, never a process. */
  async #find(actor: Actor, { service, lane, pid }: ProbeTarget): Promise<readonly number[]> {
    const { lanes, baseline, investigations } = this.#deps;
    if ((service === undefined) === (pid === undefined)) {
      const reason = 'one of service and pid must be given';
      throw fault('PROBE_REQUEST_INVALID', { field: 'service', reason, allowed: 'one of both' });
    }
    if (pid !== undefined) {
      if (!actor.startsWith('agent:')) return [pid];
      throw fault('PROBE_NOT_PERMITTED', { pid, reason: 'an agent probes services only' });
    }
    if (lane !== undefined) {
      const { candidates } = checkOwnLane(await lanes.find(lane), actor);
      const running = await investigations.host.running();
      const own = candidates.filter((one) => one.service === service);
      const pids = own.flatMap(({ name }) => running.get(name)?.pid ?? []);
      if (pids.length > 0) return pids;
      throw fault('NOT_FOUND', { what: `running candidate ${service} in ${lane}` });
    }
    const found = (await baseline.status()).filter((one) => one.service === service);
    const pids = found.flatMap((one) => one.pid ?? []);
    if (pids.length > 0) return pids;
    throw fault('NOT_FOUND', { what: `running service ${service}` });
  }

  #keep(actor: Actor, request: ProbePlacement, probe: ActiveProbe): void {
    const [first] = probe.instances();
    const shown: ShownProbe = {
      probe: probe.id,
      kind: request.kind ?? (request.template === undefined ? 'snapshot' : 'log'),
      service: request.service ?? null,
      lane: request.lane ?? null,
      file: request.file,
      line: first?.place?.line ?? request.line ?? 0,
      function: first?.place?.function ?? request.function ?? '',
      owner: actor,
      reason: request.reason ?? '',
      placedAt: probe.placedAt,
      expiresAt: probe.expiresAt,
    };
    const placed = { actor, shown, probe };
    const kept = this.#follow(placed)
      .then(async () => this.#record(placed, await probe.ended))
      .finally(() => this.#placed.delete(probe.id));
    kept.catch(() => undefined);
    this.#placed.set(probe.id, { ...placed, kept });
  }

  /** Every batch of captures goes to telemetry, and its hash into the ledger. */
  async #follow({ shown, probe, actor }: Omit<PlacedProbe, 'kept'>): Promise<void> {
    const { tell, ledger } = this.#deps;
    const batch: Json[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      const captures = batch.splice(0);
      const body = { probe: shown.probe, captures: captures.length, hash: hashOf(captures) };
      await ledger.append({ kind: 'probe-captured', actor, body });
    };
    const timer = setInterval(() => {
      tell({ metrics: probeRows.metrics(shown, probe.instances(), this.#deps.clock.now()) });
      flush().catch(() => undefined);
    }, flushEveryMs);
    try {
      for await (const capture of probe.captures) {
        batch.push(capture as Json);
        tell({ logs: [probeRows.log(shown, capture)] });
      }
    } finally {
      clearInterval(timer);
      await flush();
    }
  }

  async #record(
    { actor, shown, probe }: Omit<PlacedProbe, 'kept'>,
    { reason, certificate, hits }: Removal,
  ): Promise<void> {
    const ended = { reason, at: certificate.endedAt, certificate: certificate as Json };
    const captures = probe.captures.kept;
    const value = { ...shown, instances: probe.instances(), ended, captures } as Json;
    const { service, lane } = shown;
    await this.#deps.ledger.append({
      kind: 'probe-ended',
      actor,
      body: {
        probe: shown.probe,
        service,
        lane,
        reason,
        hits,
        certificate: hashOf(certificate as Json),
      },
      contents: [{ name: 'probe', subject: shown.probe, value }],
    });
  }

  async #readKept(actor: Actor, id: string): Promise<ProbeStatus> {
    const { ledger } = this.#deps;
    const entry = await findEntry(
      ledger,
      id,
      'probe',
      ({ kind, body }) => kind === 'probe-ended' && body.probe === id,
    );
    if (!entry || !mayLook(actor, entry.actor)) throw fault('NOT_FOUND', { what: `probe ${id}` });
    const found = (await ledger.contents(entry.seq)).find(({ name }) => name === 'probe');
    if (found?.value === undefined) {
      throw fault('CONTENT_SHREDDED', { name: 'probe', seq: entry.seq });
    }
    return found.value as ProbeStatus;
  }
}

const flushEveryMs = 2_000;

/** Over the canonical form, so that an export can be checked against the ledger. */
function hashOf(value: Json): string {
  return sha256(canonicalJson(value));
}

function statusOf({ shown, probe }: PlacedProbe): ProbeStatus {
  return { ...shown, instances: probe.instances(), ended: null, captures: probe.captures.kept };
}

/** An agent reads its own probes; people read all. */
function mayLook(actor: Actor, owner: string): boolean {
  return !actor.startsWith('agent:') || actor === owner;
}
