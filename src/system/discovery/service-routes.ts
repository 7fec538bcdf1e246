import type { Config } from '../complete.ts';
import { isTestFile } from '../test-file.ts';
import { type DeclaredRoutes, routesDeclaredIn } from './declared-routes.ts';
import { type DescribedRoute, describedRoutes, ownsFile } from './described-requests.ts';
import { Repository } from './repository.ts';

/** What a repository says about the routes of a service. */
export interface ServiceRoutes {
  /** By file of its code. */
  readonly declared: readonly DeclaredRoutes[];
  /** In OpenAPI documents. */
  readonly described: readonly DescribedRoute[];
}

const program = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|kts|scala|rb|php|cs|ex|exs|dart|swift)$/;
const filesMax = 300;

export function serviceRoutes(
  root: string,
  config: Pick<Config, 'services' | 'ingress'>,
  service: string,
): ServiceRoutes {
  const repository = new Repository(root);
  const declared = codeOf(repository, config, service).map(routesDeclaredIn);
  return {
    declared: declared.filter((one) => Object.values(one).some(({ length }) => length > 0)),
    described: describedRoutes(repository, config, service),
  };
}

/** The text of each program file of a service, without tests. */
export function serviceCode(
  root: string,
  config: Pick<Config, 'services'>,
  service: string,
): string[] {
  return codeOf(new Repository(root), config, service);
}

function codeOf(
  repository: Repository,
  { services }: Pick<Config, 'services'>,
  service: string,
): string[] {
  return repository
    .files()
    .filter((file) => program.test(file) && !isTestFile(file))
    .filter((file) => ownsFile(services[service], file))
    .slice(0, filesMax)
    .map((file) => repository.text(file));
}
