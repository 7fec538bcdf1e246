import { type Ledger, type Projection, readRow } from '../../ledger/index.ts';

/** What the ledger knows of a service of the baseline that was started and not stopped. */
export type ServiceRow = {
  readonly service: string;
  readonly instance: string;
  /** Its name on the host: another one for each version that took over. */
  readonly name: string;
  /** The version it runs; null outside of a git repository. */
  readonly commit: string | null;
  readonly port: number;
  readonly overlay: string | null;
  /** Absent for a service that has the preload, or needs none. */
  readonly isWithoutPreload?: boolean;
};

const servicePrefix = 'service/';
const serviceKey = (service: string): string => servicePrefix + service;

export const baselineServices: Projection = {
  kinds: ['service-started', 'service-stopped'],
  keys: ({ body }) => [serviceKey(String(body.service))],
  apply: (rows, { kind, body }) => {
    const service = String(body.service);
    const row: ServiceRow = {
      service,
      instance: String(body.instance),
      name: String(body.name),
      commit: body.commit === null ? null : String(body.commit),
      port: Number(body.port),
      overlay: typeof body.overlay === 'string' ? body.overlay : null,
      ...(body.isWithoutPreload === true ? { isWithoutPreload: true } : {}),
    };
    rows.set(serviceKey(service), kind === 'service-started' ? row : undefined);
  },
};

/** By service: what was started of the baseline and not stopped. */
export async function startedServices(ledger: Ledger): Promise<Map<string, ServiceRow>> {
  const rows = new Map<string, ServiceRow>();
  for await (const { value } of ledger.rows<ServiceRow>(servicePrefix)) {
    rows.set(value.service, value);
  }
  return rows;
}

export const versionKey = 'baseline-version';

export type VersionRow = { readonly commit: string };

/** The version of the whole system: what a new change is made for. */
export const baselineVersion: Projection = {
  kinds: ['baseline-moved'],
  keys: () => [versionKey],
  apply: (rows, { body }) => rows.set(versionKey, { commit: String(body.commit) }),
};

/** The newest change of the baseline: the first suspect when something is wrong. */
export type PromotedVersion = {
  readonly commit: string;
  readonly base: string;
  readonly services: readonly string[];
  readonly by: string;
  readonly at: number;
};

export const promotionKey = 'last-promotion';

export const lastPromotion: Projection = {
  kinds: ['change-promoted'],
  keys: () => [promotionKey],
  apply: (rows, { body, actor, at }) => {
    const { commit, base, services } = body as PromotedVersion;
    const row: PromotedVersion = { commit, base, services, by: actor, at };
    rows.set(promotionKey, row);
  },
};

/** What runs, is to run next, or may be gone back to at once. */
export async function versionsInUse(
  ledger: Ledger,
  lanes: readonly { readonly base: string; readonly commit: string }[],
): Promise<Set<string>> {
  const started = [...(await startedServices(ledger)).values()].map(({ commit }) => commit ?? '');
  const known = [versionKey, promotionKey].map((key) => readRow<KnownServices>(ledger, key));
  const rows = [...lanes, ...(await Promise.all(known))];
  return new Set([...started, ...rows.flatMap((row) => [row?.base ?? '', row?.commit ?? ''])]);
}

type KnownServices = { readonly commit: string; readonly base?: string };
