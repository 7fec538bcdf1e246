import { z } from 'zod';
import { gateLimits } from '../limits.ts';

const answer = z.enum(['allow', 'hold', 'deny']);

const rule = (usual: 'allow' | 'hold' | 'deny', meaning: string) =>
  answer.default(usual).describe(meaning);

const rules = z.strictObject({
  'write-outside': rule('deny', 'It writes a file outside of `writes`.'),
  'delete-outside': rule('deny', 'It deletes a file outside of `writes`.'),
  'delete-all': rule('deny', 'It deletes one of the directories of `writes` as a whole.'),
  secret: rule('deny', 'It reads a file, variable or store that usually contains secrets.'),
  host: rule('hold', 'It connects to a host that is not in `hosts`.'),
  'new-package': rule('hold', 'It adds a package whose install scripts would run.'),
  'global-package': rule('hold', 'It installs a package for the whole machine.'),
  publish: rule('hold', 'It publishes a package or an image.'),
  'git-commit': rule('allow', 'It makes a commit.'),
  'git-push': rule('allow', 'It pushes commits.'),
  'force-push': rule('deny', 'It pushes by force.'),
  'remote-delete': rule('deny', 'It deletes branches or tags of a remote.'),
  'protected-branch': rule('hold', 'It pushes to one of `protectedBranches`.'),
  'git-history': rule('hold', 'It rewrites history, or deletes what is not stored elsewhere.'),
  'git-remote': rule('hold', 'It changes where a repository is pushed to or fetched from.'),
  cloud: rule('hold', 'It changes something in a cloud or at a hosting service.'),
  cluster: rule('hold', 'It changes something in a cluster.'),
  infrastructure: rule('hold', 'It applies, destroys or imports infrastructure.'),
  'database-change': rule('hold', 'It changes data without a transaction and without a condition.'),
  'database-unbounded': rule('deny', 'It drops a table, or changes every row of one.'),
  machine: rule('hold', 'It changes packages, users, services or processes of the machine.'),
  container: rule('allow', 'It runs or builds a container.'),
  'inline-code': rule('hold', 'It runs code that is written in the command, such as `python -c`.'),
  'code-outside': rule('hold', 'It runs a program file outside of the project.'),
  'unknown-program': rule('hold', 'It runs a program that Surety does not know.'),
  'unknown-tool': rule('hold', 'It uses a tool of the harness that Surety does not know.'),
  unconfined: rule('allow', 'It runs a command outside of `surety exec -- …`.'),
  'edit-untested': rule(
    'allow',
    'It changes the project, and no task of the agent is in phase `change`.',
  ),
  'unverified-commit': rule('allow', 'It commits, and the working tree has no fresh pass.'),
  'unverified-push': rule('allow', 'It pushes, and exactly that version has no fresh pass.'),
  unresolved: rule('hold', 'What it does cannot be known before it runs.'),
});

const { codingValuesMax } = gateLimits;

const texts = (usual: readonly string[]) =>
  z
    .array(z.string().min(1))
    .max(codingValuesMax)
    .default([...usual]);

const usualHosts = [
  'localhost',
  '127.0.0.1',
  '[::1]',
  '0.0.0.0',
  'host.docker.internal',
  'github.com',
  'api.github.com',
];

/** What coding agents may do with their own shell, edits and fetches. */
export const codingSchema = z.strictObject({
  writes: texts(['.', '/tmp']).describe(
    'Directories in which files may be written and deleted. `.` is the workspace.',
  ),
  hosts: texts(usualHosts).describe(
    'Hosts that may be reached. `*.example.com` stands for all hosts below.',
  ),
  programs: texts([]).describe('Programs that Surety does not know, and that may run.'),
  tools: texts([]).describe(
    'Further tools of the harness that may be used, such as `mcp__tracker__*`.',
  ),
  protectedBranches: texts([]).describe('Branches for the rule `protected-branch`.'),
  rules: rules
    .prefault({})
    .describe('What follows from each effect: `allow`, `hold` for a person, or `deny`.'),
});

export type CodingSettings = z.output<typeof codingSchema>;
export type CodingRule = keyof CodingSettings['rules'];
