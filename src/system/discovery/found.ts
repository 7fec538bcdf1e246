/** What a service is written in; `other` if nothing shows it. */
export type ServiceLanguage = 'node' | 'go' | 'python' | 'java' | 'dotnet' | 'other';

/** A service as some file of the repository describes it; more than one may know of it. */
export interface DiscoveredService {
  readonly name: string;
  readonly command?: string | undefined;
  readonly directory?: string | undefined;
  readonly port?: number | undefined;
  /** The port that its sources name, if they do not read PORT. */
  readonly builtInPort?: number | undefined;
  readonly health?: string | undefined;
  readonly install?: string | undefined;
  readonly build?: string | undefined;
  readonly protocol?: 'grpc' | undefined;
  /** Requests from outside come to it. */
  readonly isPublished?: boolean | undefined;
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
  /** In words, for people: what they have to add before it can start. */
  readonly unknown?: readonly string[] | undefined;
}

/** A command that runs to its end before services start: a migration or a seed. */
export interface FoundStep {
  readonly command: string;
  readonly directory?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** A database or queue that services use. */
export interface FoundStore {
  readonly name: string;
  readonly kind: FoundStoreKind;
  /** The names by which services call it in the network of their containers. */
  readonly hosts: readonly string[];
  /** The port of the containers, and the one on this machine if it is published there. */
  readonly port: number;
  readonly publishedPort?: number | undefined;
  /** Its address, if no service names a better one. */
  readonly url: string;
  readonly image: string;
  /** Variables of its container. */
  readonly environment: Readonly<Record<string, string>>;
  readonly migrations?: FoundStep | undefined;
  readonly seeds?: FoundStep | undefined;
  /** How it is started, if this machine can. */
  readonly start?: string | undefined;
  readonly where: string;
}

export type FoundStoreKind = 'postgres' | 'redis' | 'nats' | 'rabbitmq';

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
    builtInPort: first(parts, 'builtInPort'),
    health: first(parts, 'health'),
    install: first(parts, 'install'),
    build: first(parts, 'build'),
    protocol: first(parts, 'protocol'),
    isPublished: parts.some(({ isPublished }) => isPublished),
    limits: first(parts, 'limits'),
    tagging: first(parts, 'tagging'),
    environment: Object.assign({}, ...parts.toReversed().map((part) => part.environment ?? {})),
    secrets: Object.assign({}, ...parts.toReversed().map((part) => part.secrets ?? {})),
    aliases: [...new Set(parts.flatMap((part) => part.aliases ?? []))],
    dependsOn: [...new Set(parts.flatMap((part) => part.dependsOn ?? []))],
    unknown: [...new Set(parts.flatMap((part) => part.unknown ?? []))],
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
