import { join, relative, resolve } from 'node:path';
import { type Config, isWithin, plainPath } from '../../system/index.ts';
import { suitePaths } from './suite-paths.ts';

/** The files of a repository's checks and deliveries: no change may pass by altering them. */
const pipelines = [
  '.buildkite',
  '.circleci',
  '.drone.yml',
  '.forgejo',
  '.git',
  '.gitea',
  '.github',
  '.gitlab',
  '.gitlab-ci.yml',
  '.gitmodules',
  '.husky',
  '.pre-commit-config.yaml',
  '.semaphore',
  '.surety',
  '.teamcity',
  '.travis.yml',
  '.woodpecker',
  '.woodpecker.yml',
  'CODEOWNERS',
  'Jenkinsfile',
  'appveyor.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'cloudbuild.yaml',
  'docs/CODEOWNERS',
  'lefthook.yml',
];

export interface ProtectionRules {
  readonly config: Config;
  /** The documents of the policy that holds, wherever they are. */
  readonly policyFiles: readonly string[];
  /** The top of the repository, and where surety.yaml stands below it. */
  readonly top: string;
  readonly within: string;
}

/** Those of the changed files that a change may touch only when a person allowed it. */
export function protectedFiles(files: readonly string[], guarded: ProtectionRules): string[] {
  const { config, policyFiles, top, within } = guarded;
  const paths = [
    ...pipelines,
    ...[...config.protected.map(plainPath), ...suitePaths(config)].map((path) =>
      join(within, path),
    ),
    ...policyFiles.map((path) => relative(top, resolve(top, within, path))),
  ];
  return files.filter((file) => paths.some((path) => isWithin(file, path)));
}
