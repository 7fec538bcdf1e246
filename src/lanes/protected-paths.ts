import { type Config, isWithin } from '../system/index.ts';

/** What runs a repository's own checks and deliveries: nobody may pass a change by changing it. */
const pipelines = [
  '.circleci',
  '.drone.yml',
  '.git',
  '.github',
  '.gitlab-ci.yml',
  '.gitmodules',
  '.buildkite',
  '.surety',
  'Jenkinsfile',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
];

/**
 * Those of the changed files that a change may touch only when a person allowed it. `own` are named
 * from where surety.yaml stands, `files` from the top of the repository.
 */
export function protectedFiles(
  { policy, protected: guarded }: Config,
  own: readonly string[],
  files: readonly string[],
): string[] {
  const mine = [...guarded, ...(policy === undefined ? [] : [policy])];
  const touched = [
    ...own.filter((file) => mine.some((path) => isWithin(file, path))),
    ...files.filter((file) => pipelines.some((path) => isWithin(file, path))),
  ];
  return [...new Set(touched)];
}
