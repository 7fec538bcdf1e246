/** What a command, edit or fetch can do. The policy has a rule for each. */
export type EffectKind =
  | 'file.read'
  | 'secret.read'
  | 'file.write'
  | 'file.delete'
  | 'network.connect'
  | 'package.install'
  | 'package.publish'
  | 'git.commit'
  | 'git.push'
  | 'git.history'
  | 'git.remote'
  | 'cloud.change'
  | 'cluster.change'
  | 'infrastructure.plan'
  | 'infrastructure.change'
  | 'database.change'
  | 'machine.change'
  | 'container.run'
  | 'code.run'
  | 'code.inline'
  | 'shell.unconfined'
  | 'surety.control';

export type EffectValues = Readonly<Record<string, readonly string[] | boolean>>;

export interface CommandEffect {
  readonly kind: EffectKind;
  readonly values: EffectValues;
}

/** Effects of one call, one per kind: lists are joined, and what is true for one part is true. */
export class EffectList {
  readonly #byKind = new Map<EffectKind, Record<string, readonly string[] | boolean>>();
  readonly unresolved = new Set<string>();
  readonly programs = new Set<string>();
  readonly unknownPrograms = new Set<string>();

  add({ kind, values }: CommandEffect): undefined {
    const known = this.#byKind.get(kind) ?? {};
    for (const [name, value] of Object.entries(values)) {
      const older = known[name];
      if (typeof value === 'boolean') known[name] = value || older === true;
      else known[name] = [...new Set([...(Array.isArray(older) ? older : []), ...value])];
    }
    this.#byKind.set(kind, known);
  }

  list(): CommandEffect[] {
    return [...this.#byKind].map(([kind, values]) => ({ kind, values }));
  }
}
