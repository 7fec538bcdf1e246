import { resolve } from 'node:path';
import { foreignMistakes, type Gate, type PolicyBook, recordAttempt } from '../../gate/index.ts';
import { type Actor, type Identity, type Log, sharedLimits } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import {
  type Gateway,
  type GatewayPorts,
  type HeldAnswer,
  nameInside,
  nameOutside,
  openGateway,
  type ServerState,
  type ToolTerms,
  type UpstreamSpec,
} from '../../mcp/gateway/index.ts';
import type { Config } from '../../system/index.ts';
import type { ComposeDeps } from '../compose/gate.ts';
import type { WorkspacePlace } from '../place.ts';
import { showApproval } from '../views/gate-views.ts';
import { acceptTool, type PinRow, pinPrefix, pinTools } from './mcp-pins.ts';
import { isNative } from './natives.ts';
import type { ToolFunction } from './tool-runner.ts';

export interface GatewayDeps {
  readonly gate: Gate;
  readonly policies: PolicyBook;
  readonly ledger: Ledger;
  readonly clock: { now(): number };
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
}

/**
 * The tools of all servers behind the gateway, for a gate that is opened before them. Until `open`,
 * none is available.
 */
export class McpTools {
  #gateway: Gateway | undefined;
  #policies: PolicyBook | undefined;
  /**
   * Also the tools of servers that are away, because nobody else may report the outcome of their
   * calls.
   */
  readonly #pinned = new Set<string>();
  readonly #servers: readonly string[];

  private constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  readonly get = (tool: string): ToolFunction | undefined => {
    const gateway = this.#gateway;
    if (!gateway || !this.#runsHere(tool)) return undefined;
    return ({ arguments: given, key, proposal, signal }) =>
      gateway.run(tool, {
        arguments: given,
        signal,
        proposal: proposal as never,
        ...(key === undefined ? {} : { key }),
      });
  };

  /** A tool whose contract has `run` belongs to no server, whatever names servers use. */
  #runsHere(tool: string): boolean {
    const place = nameInside(tool, this.#servers);
    if (!place || saysHowToRun(tool, this.#policies)) return false;
    return this.#pinned.has(`${place.server}/${place.name}`);
  }

  #isAtHand(tool: string): boolean {
    return this.#gateway?.has(tool) === true || !this.#runsHere(tool);
  }

  /** Known before anything is decided, so that a recovery waits for its server. */
  static async load(ledger: Ledger, { mcp }: Config): Promise<McpTools> {
    const tools = new McpTools(Object.keys(mcp.servers));
    for await (const { value } of ledger.rows<PinRow>(pinPrefix)) tools.#know(value);
    return tools;
  }

  /** What the gate has to know about them. */
  get forGate(): Pick<ComposeDeps, 'functions' | 'isAtHand' | 'runsHere'> {
    return {
      functions: this,
      isAtHand: (tool: string): boolean => this.#isAtHand(tool),
      runsHere: (tool: string): boolean => this.#runsHere(tool),
    };
  }

  async open(deps: GatewayDeps): Promise<Gateway | undefined> {
    if (this.#servers.length === 0) return undefined;
    this.#policies = deps.policies;
    const specs = specsOf(deps.config, deps.place);
    const ports = portsOf(deps, (server, tool) => this.#know({ server, tool }));
    this.#gateway = await openGateway({ specs, version: deps.version, ports });
    return this.#gateway;
  }

  /** By the name that agents use. */
  async accept(given: { tool: string; hash: string; actor: Identity['actor'] }, ledger: Ledger) {
    const place = nameInside(given.tool, this.#servers);
    const { server = '', name = given.tool } = place ?? {};
    await acceptTool(ledger, { ...given, server, tool: name });
    await this.#gateway?.reconsider();
  }

  get servers(): readonly ServerState[] {
    return this.#gateway?.servers() ?? [];
  }

  outside(server: string, tool: string): string {
    return nameOutside(server, tool, this.#servers.length === 1 && this.#servers[0] === server);
  }

  #know({ server, tool }: Pick<PinRow, 'server' | 'tool'>): void {
    this.#pinned.add(`${server}/${tool}`);
  }
}

function specsOf({ mcp }: Config, { root }: WorkspacePlace): UpstreamSpec[] {
  return Object.entries(mcp.servers).map(([name, server]): UpstreamSpec => {
    const { command, environment = {}, directory = '.', url = '', headers = {} } = server;
    if (!command) return { name, url, headers };
    return { name, command, environment, directory: resolve(root, directory) };
  });
}

/** The gateway's view of gate and ledger. */
function portsOf(
  { gate, policies, ledger, clock, config, log }: GatewayDeps,
  onPinned: (server: string, tool: string) => void,
): GatewayPorts {
  return {
    act: gate.actPromptly,
    log,
    terms: (tool) => termsOf(tool, policies),
    isTaken: (tool) => isNative(tool) || saysHowToRun(tool, policies),
    isRepeat: async (proposal) => {
      const [judged] = await gate.checkPlan([proposal], proposal.actor);
      return typeof judged?.repeats === 'string';
    },
    sees: ({ actor }, tool) => {
      if (!actor.startsWith('agent:') || termsOf(tool, policies).mode === 'observe') return true;
      return agentOf(actor, policies)?.allows(tool) === true;
    },
    mayBeHeld: ({ actor }) => {
      const agent = agentOf(actor, policies);
      if (agent?.autonomy === 'supervised') return true;
      const contracts = [...(policies.current?.contracts.values() ?? [])];
      return contracts.some(({ approval, tool }) => approval && agent?.allows(tool));
    },
    approval: async ({ actor }, approval) => await showApproval(approval, actor, { ledger, clock }),
    approver: ({ actor }, tool) => approverAt(actor, tool, policies, config),
    answerHeld: (answer) => answerHeld(answer, gate),
    checkBy: (schema) => (value) => foreignMistakes(schema, value),
    pin: async (server, tools) => {
      const states = await pinTools(ledger, server, tools);
      for (const { name } of tools.values()) onPinned(server, name);
      return states;
    },
    record: async (actor, refused, about) =>
      void (await recordAttempt(ledger, actor, 'tools/call', refused, about)),
  };
}

function termsOf(tool: string, { current }: PolicyBook): ToolTerms {
  const contract = current?.contracts.get(tool);
  const mode = contract?.mode ?? current?.mode ?? 'enforce';
  if (!contract) return { mode, effect: null, timeoutMs: sharedLimits.toolMs };
  return { mode, effect: contract.effect, timeoutMs: contract.timeoutMs };
}

function saysHowToRun(tool: string, policies: PolicyBook | undefined): boolean {
  return (policies?.current?.contracts.get(tool)?.run ?? null) !== null;
}

function agentOf(actor: string, { current }: PolicyBook) {
  return current?.agents.get(actor.slice('agent:'.length));
}

/**
 * The person who may be asked about a held call at the client of an agent: the one that surety.yaml
 * assigns to it, if the contract allows asking there and the person has the required role.
 */
function approverAt(
  agent: Actor,
  tool: string,
  { current }: Pick<PolicyBook, 'current'>,
  { people }: Pick<Config, 'people'>,
): Identity | null {
  const asked = current?.contracts.get(tool)?.approval;
  if (!asked?.elicited || !agent.startsWith('agent:')) return null;
  const name = agent.slice('agent:'.length);
  const found = Object.entries(people).find(([, { clients }]) => clients.includes(name));
  if (!found) return null;
  const [person, { roles }] = found;
  const may = (roles as readonly string[]).some((role) => role === asked.role || role === 'admin');
  return may ? { actor: `person:${person}`, roles } : null;
}

async function answerHeld(
  { approver, at, isApproved, reason, ...about }: HeldAnswer,
  gate: Pick<Gate, 'approve' | 'refuse'>,
): Promise<void> {
  const said = reason === '' ? `asked at the client of ${at}` : reason;
  const answer = { ...about, ...approver, reason: said, elicitedAt: at };
  await (isApproved ? gate.approve(answer) : gate.refuse(answer));
}
