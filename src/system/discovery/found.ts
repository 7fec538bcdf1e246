/** What a service is written in; `other` if nothing shows it. */
export type ServiceLanguage = 'node' | 'go' | 'python' | 'java' | 'dotnet' | 'other';

/** A service as some file of the repository describes it; more than one may know of it. */
export interface DiscoveredService {
  readonly name: string;
  readonly command?: string | undefined;
  readonly directory?: string | undefined;
  readonly port?: number | undefined;
  readonly health?: string | undefined;
  readonly install?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  readonly limits?: { readonly memoryMb?: number; readonly cpu?: number } | undefined;
  readonly aliases?: readonly string[] | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly tagging?: 'preload' | 'baggage' | undefined;
  /** The file that says so. */
  readonly where: string;
  /** The file that says how its program is started, if another. */
  readonly program?: string | undefined;
}

/** A database or queue that services use. */
export interface FoundStore {
  readonly name: string;
  readonly kind: 'postgres' | 'redis' | 'nats' | 'rabbitmq';
  readonly url: string;
  readonly where: string;
}

/** What one file tells. */
export interface FileDiscovery {
  readonly services: readonly DiscoveredService[];
  readonly stores?: readonly FoundStore[];
  readonly unknown?: readonly string[];
}

/** Everything that is known of a service, and from where. */
export type ServiceSources = Omit<DiscoveredService, 'where' | 'program'> & {
  readonly where: readonly string[];
  readonly language?: ServiceLanguage | undefined;
};

/** What an earlier file says counts; a later one fills in what it did not say. */
export function gather(found: readonly DiscoveredService[]): ServiceSources[] {
  const byName = Map.groupBy(found, ({ name }) => name);
  return [...byName].map(([name, parts]) => ({
    name,
    command: first(parts, 'command'),
    directory: first(parts, 'directory'),
    port: first(parts, 'port'),
    health: first(parts, 'health'),
    install: first(parts, 'install'),
    limits: first(parts, 'limits'),
    tagging: first(parts, 'tagging'),
    environment: Object.assign({}, ...parts.toReversed().map((part) => part.environment ?? {})),
    secrets: Object.assign({}, ...parts.toReversed().map((part) => part.secrets ?? {})),
    aliases: [...new Set(parts.flatMap((part) => part.aliases ?? []))],
    dependsOn: [...new Set(parts.flatMap((part) => part.dependsOn ?? []))],
    where: [...new Set(parts.flatMap(({ where, program = where }) => [where, program]))],
  }));
}

function first<Field extends keyof DiscoveredService>(
  parts: readonly DiscoveredService[],
  field: Field,
): DiscoveredService[Field] | undefined {
  return parts.find((part) => part[field] !== undefined)?.[field];
}

/** As surety.yaml wants names: lower-case letters, digits and dashes, a letter first. */
export function serviceNameOf(text: string): string {
  const last = text.replace(/^@[^/]*\//, '');
  const plain = last
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return plain.slice(0, 40) || 'service';
}
