import { type Act, type Actor, committedValue, type JsonObject } from '../../kernel/index.ts';
import { type Entry, type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import type { Deployment, DeploymentRequest } from '../api-schema.ts';
import { laneLimits } from '../limits.ts';

export const deploymentsKey = 'deployments';

/** The last ones, oldest first. */
export type DeploymentsRow = { readonly recent: readonly Deployment[] };

/** In one row: they are few, and are always asked for together. */
export const recentDeployments: Projection = {
  kinds: [
    'deployment-recorded',
    'change-promoted',
    'promotion-held',
    'promotion-returned',
    'promotion-stuck',
    'configuration-changed',
    'policy-adopted',
  ],
  keys: () => [deploymentsKey],
  apply: (rows, entry) => {
    const before = rows.get<DeploymentsRow>(deploymentsKey)?.recent ?? [];
    const recent = [...before, ...deploymentsOf(entry, before)];
    rows.set(deploymentsKey, { recent: recent.slice(-laneLimits.recentDeploymentsMax) });
  },
};

type ReportedDeployment = Pick<Deployment, 'kind' | 'service' | 'version' | 'previous' | 'note'>;

const tellers: Readonly<Record<string, (body: JsonObject) => ReportedDeployment[]>> = {
  'deployment-recorded': (body) => [
    {
      kind: 'deployment',
      service: text(body.service),
      version: text(body.version),
      previous: text(body.previous),
      note: text(body.note),
    },
  ],
  'change-promoted': (body) =>
    names(body.services).map((service) => ({
      kind: 'promotion',
      service,
      version: text(body.commit),
      previous: text(body.base),
      note: text(body.reason),
    })),
  'promotion-returned': (body) =>
    names(body.services).map((service) => ({
      kind: 'promotion',
      service,
      version: text(body.base),
      previous: text(body.commit),
      note: `returned: ${text(body.reason)}`,
    })),
  'promotion-held': (body) =>
    names(body.services).map((service) => ({
      kind: 'promotion',
      service,
      version: text(body.commit),
      previous: text(body.base),
      note: `held: ${text(body.reason)}`,
    })),
  'promotion-stuck': (body) =>
    names(body.services).map((service) => ({
      kind: 'promotion',
      service,
      version: text(body.commit),
      previous: text(body.base),
      note: `could not be returned: ${text(body.reason)}; ${text(body.failure)}`,
    })),
  'configuration-changed': (body) =>
    names(body.services, '').map((service) => ({
      kind: 'configuration',
      service,
      version: text(body.version),
      previous: text(body.previous),
      note: `surety.yaml: ${names(body.sections).join(', ')}`,
    })),
  'policy-adopted': (body) => [
    { kind: 'configuration', service: '', version: text(body.hash), previous: '', note: 'policy' },
  ],
};

function deploymentsOf(entry: Entry, before: readonly Deployment[]): Deployment[] {
  const { kind, body, actor, at, seq } = entry;
  const reported = tellers[kind]?.(body) ?? [];
  return reported.map(({ previous, ...rest }) => ({
    ...rest,
    previous: previous || lastVersion(before, rest),
    actor,
    at,
    seq,
  }));
}

function lastVersion(
  before: readonly Deployment[],
  { service, kind, note }: Pick<Deployment, 'service' | 'kind' | 'note'>,
): string {
  const isConfiguration = kind === 'configuration';
  const same = (one: Deployment): boolean =>
    one.service === service &&
    (one.kind === 'configuration') === isConfiguration &&
    (!isConfiguration || one.note === note);
  return before.findLast(same)?.version ?? '';
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, laneLimits.deploymentTextCharsMax) : '';

function names(value: unknown, otherwise?: string): string[] {
  const found = Array.isArray(value) ? value.map(String) : [];
  return found.length === 0 && otherwise !== undefined ? [otherwise] : found;
}

export interface DeploymentDeps {
  readonly act: Act;
  readonly ledger: Ledger;
}

/** A version that was deployed without Surety: an investigation has to know of it. */
export async function recordDeployment(
  actor: Actor,
  request: DeploymentRequest & { readonly key?: string | undefined },
  { act, ledger }: DeploymentDeps,
): Promise<{ seq: number; service: string; previous: string }> {
  const { service, version, previous = '', note = '', key } = request;
  const facts = { service, version, previous, note };
  const proposal = { actor, tool: 'deployment.record', arguments: facts };
  const outcome = await act(key === undefined ? proposal : { ...proposal, key }, async () => {
    const before = await readDeployments(ledger);
    const known = previous || lastVersion(before, { service, kind: 'deployment', note });
    const body = { ...facts, previous: known };
    const [entry] = await ledger.append({ kind: 'deployment-recorded', actor, body });
    return { seq: entry?.seq ?? 0, service, previous: known };
  });
  return committedValue(outcome);
}

/** Oldest first. */
export async function readDeployments(ledger: Ledger): Promise<readonly Deployment[]> {
  return (await readRow<DeploymentsRow>(ledger, deploymentsKey))?.recent ?? [];
}
