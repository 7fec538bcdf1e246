import { join } from 'node:path/posix';
import type { Config } from '../complete.ts';
import { isWithin, plainPath } from '../ownership.ts';
import type { CodeGraph } from './code-graph.ts';
import { servicesDeployedBy } from './deployment-files.ts';
import type { VersionFiles } from './version-files.ts';

/** A version of the repository, with its files and what they use. */
export interface Version {
  readonly files: VersionFiles;
  readonly graph: CodeGraph;
}

export interface AffectedRequest {
  /** The changed files, named from the top of the repository. */
  readonly files: readonly string[];
  readonly config: Pick<Config, 'services'>;
  /** Where surety.yaml stands below the top; empty for the top itself. */
  readonly within: string;
  /** Before and after the change: each may use files that the other one lacks. */
  readonly versions: readonly [before: Version, after: Version];
}

/**
 * The services that each changed file affects: those that it belongs to by `paths`, those whose
 * code uses it, and those whose deployment it describes.
 */
export async function affectedServices(
  request: AffectedRequest,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { files, config, within, versions } = request;
  const reached = Object.entries(config.services).map(([service, described]) => ({
    service,
    owns: ownPaths(described, within),
    sets: versions.map(({ graph }) => graph.reach(rootsOf(described, within, graph))),
  }));
  const byFile = new Map<string, readonly string[]>();
  for (const file of files) {
    const users = reached
      .filter(
        ({ owns, sets }) =>
          owns.some((path) => isWithin(file, path)) || sets.some((set) => set.has(file)),
      )
      .map(({ service }) => service);
    byFile.set(file, users.length > 0 ? users : await deployedBy(file, request));
  }
  return byFile;
}

function deployedBy(file: string, { config, versions }: AffectedRequest): Promise<string[]> {
  const documents = versions.map((version) => version.files);
  return servicesDeployedBy(file, Object.keys(config.services), documents);
}

type Described = Config['services'][string];

/** Named from the top of the repository; a service without `paths` owns its directory. */
function ownPaths({ paths, directory }: Described, within: string): string[] {
  const isOwn = paths.length === 0 && plainPath(directory) !== '';
  return (isOwn ? [directory] : paths).map((path) => join(within, plainPath(path)));
}

/** The files from which a service is built and started. */
function rootsOf(described: Described, within: string, graph: CodeGraph): string[] {
  const { command, build, install, directory, lane } = described;
  const commands = [command, lane.command, build, install].filter((one) => one !== undefined);
  const folder = join(within, plainPath(directory));
  return [
    ...ownPaths(described, within).flatMap((path) => graph.filesOf(path)),
    ...commands.flatMap((one) => graph.namedBy(one, folder === '.' ? '' : folder)),
  ];
}
