import { type RandomBytes, systemRandom } from '../../kernel/index.ts';
import {
  attributeOwnCalls,
  type Candidate,
  type Hop,
  type Host,
  type Lane,
  type Lanes,
  type Routes,
  type VersionTree,
} from '../../lanes/index.ts';
import type { Config, SuiteConfig } from '../../system/index.ts';
import type { SuiteRun } from '../api-schema.ts';
import type { Listener, OutsideAnswer, Transport, VersionRecording } from '../compare/index.ts';
import { runSuite } from '../suites/run-suite.ts';
import { type TargetContext, targetOf } from '../suites/suite-target.ts';
import {
  type Credential,
  credentialsIn,
  type ExtraTraffic,
  type Scenario,
  scenarioOf,
} from '../traffic/index.ts';
import { noExtraTraffic, replayOn, type SuiteTraffic } from './extra-traffic.ts';
import { laneLogs, markLogs, readSince } from './lane-logs.ts';
import { readAsOthers, scanFromOutside, scanRoutes, servedAnswers } from './outside-scan.ts';
import { withRequestedFaults } from './requested-faults.ts';
import { watchSharedWrites } from './shared-writes.ts';
import { scanTls } from './tls-scan.ts';
import { watchWrites } from './written-rows.ts';

/** What one version did in one round. */
export interface RoundSide extends VersionRecording {
  readonly runs: readonly SuiteRun[];
  /** The last hop of the lane when this was recorded. */
  readonly lastHop: number;
  readonly lastNth?: number;
  /** What the router or a log had to drop before it was read. */
  readonly dropped?: readonly string[];
  /** What the suites sent, in the first round. */
  readonly scenarios?: readonly Scenario[];
  /** What suites sent whose requests are not measured. */
  readonly unmeasured?: readonly Scenario[];
  /** Suites whose requests were not kept. */
  readonly untaken?: readonly string[];
  /** The extra traffic that was sent after the suites. */
  readonly replayed?: readonly Scenario[];
}

/** The same requests on both versions. */
export interface Round {
  readonly control: RoundSide;
  readonly candidate: RoundSide;
  /** Chosen in the first round; all rounds send the same. */
  readonly extraTraffic?: ExtraTraffic;
}

export interface RoundPlan {
  readonly control: Lane;
  readonly candidate: Lane;
  /** Where the suites are. */
  readonly tree: VersionTree;
  readonly suites: readonly (readonly [string, SuiteConfig])[];
  /** Routes that the change names. */
  readonly literals?: readonly string[];
  /** Chooses what else to send, given what the suites sent. */
  readonly chooseTraffic?: (sent: SuiteTraffic) => ExtraTraffic;
}

/** As much of a context as a round needs. */
export interface RoundContext extends TargetContext {
  readonly lanes?: Pick<Lanes, 'storeAddresses' | 'rows'> & Partial<Pick<Lanes, 'liveData'>>;
  readonly host: Pick<Host, 'readLog' | 'listeners'>;
  readonly random?: RandomBytes;
  readonly onProgress?: (stage: string) => void;
}

/**
 * Suite by suite on both versions, one right after the other, so that other load on this machine
 * affects both. The order is random, so that neither version is always the one that warms up.
 */
export async function runRound(
  plan: RoundPlan,
  before: readonly Round[],
  context: RoundContext,
): Promise<Round> {
  const last = before.at(-1);
  const control = await startSide(plan.control, plan, last?.control, context);
  const candidate = await startSide(plan.candidate, plan, last?.candidate, context);
  const sharedWrites = await watchSharedWrites(plan, context);
  const drawOrder = (): OpenSide[] => {
    const { random = systemRandom } = context;
    return ((random(1)[0] ?? 0) & 1) === 0 ? [control, candidate] : [candidate, control];
  };
  for (const [name, suite] of plan.suites) {
    const order = drawOrder();
    context.onProgress?.(`running suite ${name}, round ${before.length + 1}`);
    for (const side of order) await side.run(name, suite);
  }
  const extraTraffic =
    before[0]?.extraTraffic ?? plan.chooseTraffic?.(control.sent()) ?? noExtraTraffic;
  for (const scenario of extraTraffic.scenarios) {
    const order = drawOrder();
    context.onProgress?.(`sending other requests, round ${before.length + 1}`);
    for (const side of order) await side.replay(scenario);
  }
  const { scenarios = [], unmeasured = [] } = before[0]?.control ?? control.taken();
  const credentials = credentialsIn([...scenarios, ...unmeasured]);
  const [first, second] = [await control.end(credentials), await candidate.end(credentials)];
  const shared = await sharedWrites(first, second);
  return {
    control: withWrites(first, shared.control),
    candidate: withWrites(second, shared.candidate),
    extraTraffic,
  };
}

/** In stores of its own, and in those that it shares. */
function withWrites(side: RoundSide, { writes }: Pick<RoundSide, 'writes'>): RoundSide {
  return writes === undefined ? side : { ...side, writes: [...(side.writes ?? []), ...writes] };
}

interface OpenSide {
  run(name: string, suite: SuiteConfig): Promise<void>;
  sent(): SuiteTraffic;
  taken(): Pick<RoundSide, 'scenarios' | 'unmeasured'>;
  replay(scenario: Scenario): Promise<void>;
  /** Reads what was read, as these others, too. */
  end(credentials: readonly Credential[]): Promise<RoundSide>;
}

async function startSide(
  lane: Lane,
  { tree, candidate, literals = [] }: RoundPlan,
  before: RoundSide | undefined,
  context: RoundContext,
): Promise<OpenSide> {
  const { routes, host, config } = context;
  const runs: SuiteRun[] = [];
  const hops: Hop[] = [];
  const answers: OutsideAnswer[] = [];
  const sent: SentRequests = { scenarios: [], unmeasured: [], untaken: [] };
  const replayed: Scenario[] = [];
  const replayHops: Hop[] = [];
  const isTaken = before === undefined && lane.lane !== candidate.lane;
  const reader = new HopReader(lane, before, routes);
  const newHops = (): Promise<Hop[]> => reader.read();
  const logs = laneLogs(lane, Object.keys(config.services), candidate);
  const marks = await markLogs(logs, host);
  const written = await watchWrites(lane, candidate, context);
  return {
    async run(name, suite) {
      if (isTaken) await routes.take(lane.lane);
      runs.push(await runSuite(name, suite, await targetOf(lane, tree, context)));
      if (isTaken) note(sent, [name, suite], await routes.taken(lane.lane));
      const fresh = await newHops();
      hops.push(...fresh);
      answers.push(...(await scanFromOutside(lane, fresh, routes)));
      // The calls of that scan are not the suite's.
      await newHops();
    },
    sent: () => ({ scenarios: sent.scenarios, hops }),
    taken: () => sent,
    async replay(scenario) {
      await replayOn(lane, scenario, routes);
      replayed.push(scenario);
      const fresh = await newHops();
      hops.push(...fresh);
      replayHops.push(...fresh);
    },
    async end(credentials) {
      answers.push(...(await readAsOthers(lane, { hops, credentials }, routes)));
      answers.push(...(await scanFromOutside(lane, replayHops, routes)));
      answers.push(...(await scanRoutes(lane, { hops, literals }, routes)));
      await newHops();
      const { lines, dropped: unread } = await readSince(marks, logs, hops, host);
      return {
        runs,
        hops,
        answers,
        served: servedAnswers(hops),
        ...reader.last,
        ...(isTaken ? { ...sent, replayed } : {}),
        ...(await scanPorts(lane, candidate, context)),
        ...(await written()),
        logs: lines,
        dropped: [...reader.dropped, ...unread],
      };
    },
  };
}

interface SentRequests {
  readonly scenarios: Scenario[];
  readonly unmeasured: Scenario[];
  readonly untaken: string[];
}

function note(
  { scenarios, unmeasured, untaken }: SentRequests,
  [name, { measured }]: readonly [string, SuiteConfig],
  taken: Awaited<ReturnType<Routes['taken']>>,
): void {
  if (measured === false) unmeasured.push(...(taken === null ? [] : [scenarioOf(name, taken)]));
  else if (taken === null) untaken.push(name);
  else scenarios.push(scenarioOf(name, taken));
}

/** Each hop of a lane once, and whether the router had to drop some before they were read. */
class HopReader {
  readonly dropped = new Set<string>();
  readonly #read: () => Promise<readonly Hop[]>;
  #lastHop: number;
  #lastNth: number;

  constructor({ lane }: Lane, before: RoundSide | undefined, routes: Routes) {
    this.#read = () => routes.hops(lane);
    this.#lastHop = before?.lastHop ?? 0;
    this.#lastNth = before?.lastNth ?? 0;
  }

  get last(): { readonly lastHop: number; readonly lastNth: number } {
    return { lastHop: this.#lastHop, lastNth: this.#lastNth };
  }

  async read(): Promise<Hop[]> {
    const all = await this.#read();
    const last = this.#lastHop;
    const fresh = all.filter(({ n }) => n > last);
    this.#lastHop = Math.max(last, ...fresh.map(({ n }) => n));
    if ((fresh[0]?.nth ?? 0) > this.#lastNth + 1) this.dropped.add('calls');
    this.#lastNth = fresh.at(-1)?.nth ?? this.#lastNth;
    return withRequestedFaults(attributeOwnCalls(all).filter(({ n }) => n > last));
  }
}

type PortHost = Pick<Host, 'listeners'>;
type Services = Pick<Config, 'services'>;

/** Scans the ports that the instances of a lane have opened themselves, past the router. */
async function scanPorts(
  lane: Lane,
  changed: Lane,
  { host, config }: { readonly host: PortHost; readonly config: Services },
): Promise<{ transports: Transport[]; listeners: Listener[] }> {
  const secured = lane.candidates.filter(({ service }) => isSecured(service, changed, config));
  const [transports, listeners] = await Promise.all([
    Promise.all(secured.map(({ service, port }) => scanTls(service, port))),
    Promise.all(lane.candidates.map((one) => listenersOf(one, host))),
  ]);
  return { transports, listeners: listeners.flat() };
}

/** In either version: that one of them no longer has TLS is what to find. */
function isSecured(service: string, { candidates }: Lane, { services }: Services): boolean {
  const own = candidates.find((one) => one.service === service)?.protocol;
  return services[service]?.protocol === 'https' || own === 'https';
}

/** From here on the operating system picks ports, which differ each time. */
const anyPortMin = 32_768;

/** Without its own port, which differs from lane to lane. */
async function listenersOf(
  { service, name, port: own }: Candidate,
  host: PortHost,
): Promise<Listener[]> {
  const open = await host.listeners(name);
  return open
    .filter(({ port }) => port !== own)
    .map(({ address, port }) => ({ service, address, port: port >= anyPortMin ? 0 : port }));
}
