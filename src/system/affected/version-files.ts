/** The files of one version of the repository, which need not be checked out. */
export interface VersionFiles {
  /** Named from the top of the repository, each with an id of its content. */
  readonly paths: ReadonlyMap<string, string>;
  /** The texts of these files. A binary or very large one is absent. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The files in a folder and below it; those of the whole repository for an empty name. */
export function filesBelow({ paths }: VersionFiles, folder: string): string[] {
  return [...paths.keys()].filter((path) => folder === '' || path.startsWith(`${folder}/`));
}
