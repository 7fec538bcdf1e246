import { type Actor, committedValue, fault, type JsonObject } from '../../kernel/index.ts';
import {
  type ActiveProbe,
  type Capture,
  type ProbePlacement,
  type ProbeStatus,
  placeProbe,
  type Removal,
} from '../../probes/index.ts';
import { checkOwnLane } from '../handlers/own-lane.ts';
import { findEntry } from '../views/find-entry.ts';
import type { Features } from './features.ts';

interface PlacedProbe {
  readonly actor: Actor;
  readonly shown: Omit<ProbeStatus, 'ended' | 'captures'>;
  readonly captures: Capture[];
  readonly probe: ActiveProbe;
  /** Resolves when the end of the probe is recorded in the ledger. */
  readonly kept: Promise<void>;
}

type DeskDeps = Pick<
  Features,
  'act' | 'ledger' | 'lanes' | 'baseline' | 'investigations' | 'clock'
>;

/** The active probes. Ended ones are in the ledger, with their captures. */
export class ProbeDesk {
  readonly #deps: DeskDeps;
  readonly #placed = new Map<string, PlacedProbe>();

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  async place(actor: Actor, request: ProbePlacement): Promise<ProbeStatus> {
    const { act, investigations } = this.#deps;
    const pid = await this.#find(actor, request);
    const { service, lane = null, ...rest } = request;
    const proposal = { actor, tool: 'probe.place', arguments: { ...request, lane } as JsonObject };
    const outcome = await act(proposal, async () => {
      const probe = await placeProbe({ ...rest, pid }, investigations);
      this.#keep(actor, { service, lane, file: request.file, line: request.line }, probe);
      return { probe: probe.id, cost: { ...probe.cost } };
    });
    return this.read(actor, String((committedValue(outcome) as JsonObject).probe));
  }

  async read(actor: Actor, id: string): Promise<ProbeStatus> {
    const placed = this.#placed.get(id);
    if (!placed) return this.#readKept(actor, id);
    if (!mayLook(actor, placed.actor)) throw fault('NOT_FOUND', { what: `probe ${id}` });
    return { ...placed.shown, ended: null, captures: placed.captures };
  }

  async remove(actor: Actor, id: string): Promise<ProbeStatus> {
    const placed = this.#placed.get(id);
    if (placed && mayLook(actor, placed.actor)) {
      await placed.probe.remove();
      await placed.kept;
    }
    return this.read(actor, id);
  }

  /** A probe ends with the daemon anyway; this also records its end. */
  async close(): Promise<void> {
    const all = [...this.#placed.values()];
    await Promise.allSettled(all.map(({ probe, kept }) => probe.remove().then(() => kept)));
  }

  /** Callers name a service, never a process. */
  async #find(actor: Actor, { service, lane }: ProbePlacement): Promise<number> {
    const { lanes, baseline, investigations } = this.#deps;
    if (lane !== undefined) {
      const { candidates } = checkOwnLane(await lanes.find(lane), actor);
      const candidate = candidates.find((one) => one.service === service);
      const pid = candidate && (await investigations.host.running()).get(candidate.name)?.pid;
      if (pid !== undefined) return pid;
      throw fault('NOT_FOUND', { what: `running candidate ${service} in ${lane}` });
    }
    const found = (await baseline.status()).find((one) => one.service === service);
    if (found?.pid) return found.pid;
    throw fault('NOT_FOUND', { what: `running service ${service}` });
  }

  #keep(
    actor: Actor,
    place: Pick<ProbeStatus, 'service' | 'lane' | 'file' | 'line'>,
    probe: ActiveProbe,
  ): void {
    const shown = { probe: probe.id, ...place, placedAt: this.#deps.clock.now() };
    const captures: Capture[] = [];
    const kept = collect(probe, captures)
      .then(async () => this.#record(actor, shown, captures, await probe.ended))
      .finally(() => this.#placed.delete(probe.id));
    kept.catch(() => undefined);
    this.#placed.set(probe.id, { actor, shown, captures, probe, kept });
  }

  async #record(
    actor: Actor,
    shown: PlacedProbe['shown'],
    captures: readonly Capture[],
    { reason, certificate, hits }: Removal,
  ): Promise<void> {
    const ended = { reason, at: certificate.endedAt, certificate: certificate as never };
    const value = { ...shown, ended, captures };
    await this.#deps.ledger.append({
      kind: 'probe-ended',
      actor,
      body: { probe: shown.probe, service: shown.service, lane: shown.lane, reason, hits },
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

async function collect(probe: ActiveProbe, into: Capture[]): Promise<void> {
  for await (const capture of probe.captures()) into.push(capture);
}

/** An agent reads its own probes; people read all. */
function mayLook(actor: Actor, owner: string): boolean {
  return !actor.startsWith('agent:') || actor === owner;
}
