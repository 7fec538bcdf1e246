import { list, record, text } from './repository.ts';

type Manifest = Readonly<Record<string, unknown>>;

/** The values of config maps and secrets that the repository itself has, by name and key. */
export type ClusterValues = ReadonlyMap<string, Readonly<Record<string, string>>>;

export function clusterValues(manifests: readonly Manifest[]): ClusterValues {
  return new Map(
    manifests.map((manifest) => {
      const name = `${String(manifest.kind)}/${text(record(manifest.metadata).name) ?? ''}`;
      const plain = { ...record(manifest.stringData) };
      const data = Object.entries(record(manifest.data)).map(([key, value]) => [
        key,
        manifest.kind === 'Secret' ? decoded(text(value) ?? '') : value,
      ]);
      const values = Object.entries({ ...Object.fromEntries(data), ...plain });
      return [name, Object.fromEntries(values.map(([key, value]) => [key, String(value)]))];
    }),
  );
}

const decoded = (value: string): string => Buffer.from(value, 'base64').toString('utf8');

interface Variables {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A secret that the repository does not have is read from the environment, under the same name. */
export function containerVariables(container: Manifest, values: ClusterValues): Variables {
  const environment: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const source of list(container.envFrom).map(record)) {
    const map = text(record(source.configMapRef).name);
    const secret = text(record(source.secretRef).name);
    Object.assign(environment, values.get(`ConfigMap/${map}`), values.get(`Secret/${secret}`));
  }
  for (const entry of list(container.env).map(record)) {
    const name = text(entry.name);
    if (name === undefined) continue;
    const source = record(entry.valueFrom);
    const value = text(entry.value) ?? referenced(source, values);
    if (value !== undefined) environment[name] = resolved(value, environment);
    else if (source.secretKeyRef !== undefined) secrets[name] = `env:${name}`;
    else if (source.configMapKeyRef !== undefined) environment[name] = `\${${name}}`;
  }
  return { environment, secrets };
}

function referenced(source: Manifest, values: ClusterValues): string | undefined {
  const map = record(source.configMapKeyRef);
  const secret = record(source.secretKeyRef);
  const from = values.get(`ConfigMap/${text(map.name)}`)?.[text(map.key) ?? ''];
  return from ?? values.get(`Secret/${text(secret.name)}`)?.[text(secret.key) ?? ''];
}

/** `$(NAME)` of a variable before it. */
function resolved(value: string, environment: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\((\w+)\)/g, (whole, name: string) => environment[name] ?? whole);
}
