import { dirname, join } from 'node:path';
import { type Config, isWithin, plainPath, servicesOf } from '../../system/index.ts';

type Judging = Pick<Config, 'suites' | 'tests' | 'services'>;

/**
 * What changes are judged by: the files that the commands of suites name, and the folders in which
 * they stand with what they import. Whoever empties them is judged by the old ones only once.
 */
export function suitePaths(config: Judging): string[] {
  const commands = [...Object.values(config.suites), ...(config.tests ? [config.tests] : [])];
  const named = commands.flatMap(({ command, directory }) =>
    filesIn(command).map((file) => plainPath(join(directory, file))),
  );
  const files = named.filter((file) => file !== '' && !file.startsWith('..'));
  const folders = [...files.map((file) => dirname(file)), ...commands.map(folderOf)];
  return [...new Set([...files, ...folders.filter((folder) => isApart(folder, config))])];
}

/** Words of a command that look like a file of the repository. */
function filesIn(command: string): string[] {
  const words = command.split(/[\s"'=;&|()]+/);
  return words.filter((word) => /^[\w.@][\w./@-]*(?:\/[\w./@-]+|\.\w{1,5})$/.test(word));
}

function folderOf({ directory }: { readonly directory: string }): string {
  return plainPath(directory);
}

/**
 * Whether the folder contains no service. Protecting a folder with services would block every
 * change to them.
 */
function isApart(folder: string, { services }: Judging): boolean {
  if (folder === '' || folder === '.' || folder.startsWith('..')) return false;
  const paths = Object.values(services).flatMap((service) => service.paths);
  return (
    servicesOf({ services }, [folder]).length === 0 && !paths.some((path) => isWithin(path, folder))
  );
}

/**
 * The suites that these files belong to. A file that no command names may be imported by every
 * suite beside it.
 */
export function editedSuites(config: Judging, files: readonly string[]): string[] {
  const suites = Object.entries(config.suites).map(([name, suite]) => {
    const named = filesIn(suite.command).map((file) => plainPath(join(suite.directory, file)));
    return {
      name,
      named,
      near: suitePaths({ ...config, suites: { [name]: suite }, tests: undefined }),
    };
  });
  const named = new Set(suites.flatMap((suite) => suite.named));
  return suites
    .filter((suite) =>
      files.some((file) =>
        named.has(file)
          ? suite.named.includes(file)
          : suite.near.some((path) => isWithin(file, path)),
      ),
    )
    .map(({ name }) => name);
}
