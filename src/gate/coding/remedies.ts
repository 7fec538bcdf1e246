import type { CodingSettings } from '../language/index.ts';
import type { CodingRuling } from './coding-ruling.ts';

type Advice = readonly [reason: string, remedy: string];

const askPerson = 'Ask a person to do it, or do without it.';

const advice: Readonly<Record<CodingRuling['rule'], Advice>> = {
  control: [
    'it changes the hooks of the harness, the policy, or what a person decides',
    'Leave them alone. A person changes them.',
  ],
  'write-outside': ['it writes outside of the project', 'Write only below: {writes}.'],
  'delete-outside': ['it deletes outside of the project', 'Delete only below: {writes}.'],
  'delete-all': ['it deletes a whole directory of work', 'Name the files inside of it instead.'],
  secret: [
    'it would show a secret to the model',
    'Read the example file instead, or ask a person for the one value that you need.',
  ],
  host: ['it connects to a host that the policy does not name', 'Use one of these: {hosts}.'],
  'new-package': [
    'it adds a package whose install scripts would run',
    'Install what the lock file pins (npm ci), or add --ignore-scripts.',
  ],
  'global-package': [
    'it installs a package for the whole machine',
    'Install it in the project instead.',
  ],
  publish: ['it publishes a package or an image', askPerson],
  'git-commit': ['it makes a commit', askPerson],
  'git-push': ['it pushes commits', askPerson],
  'force-push': ['it pushes by force', 'Push without force. If the branch has moved, pull first.'],
  'remote-delete': ['it deletes branches or tags of the remote', askPerson],
  'protected-branch': ['it pushes to a protected branch', 'Push to a branch of your own.'],
  'git-history': [
    'it rewrites history, or deletes what is not stored anywhere else',
    'Commit or stash first, and make a new commit instead of changing an old one.',
  ],
  'git-remote': ['it changes where the repository is pushed to or fetched from', askPerson],
  cloud: ['it changes something in a cloud', askPerson],
  cluster: ['it changes something in a cluster', 'Show the change first, as with kubectl diff.'],
  infrastructure: ['it changes infrastructure', 'Run the plan first, and show it to a person.'],
  'database-change': [
    'it changes data without a transaction and without a condition',
    'Put it between BEGIN and COMMIT in the same command, or add a WHERE clause.',
  ],
  'database-unbounded': [
    'it drops a table, or changes every row of one',
    'Add a WHERE clause that names the rows.',
  ],
  machine: ['it changes the machine', askPerson],
  container: ['it runs or builds a container', askPerson],
  'inline-code': [
    'it runs code that is written in the command',
    'Write the code to a file of the project and run that file in a second command.',
  ],
  'code-outside': [
    'it runs a file outside of the project',
    'Use a program of the project, or one that is installed.',
  ],
  'unknown-program': [
    'it runs a program that is not known',
    'Use a usual program, or have it added under coding.programs in the policy.',
  ],
  'unknown-tool': [
    'it uses a tool that is not known',
    'Use the shell or the edit tool, or have it added under coding.tools in the policy.',
  ],
  unconfined: [
    'it runs outside of confinement',
    "Run it with: surety exec -- '<command>', as the whole command.",
  ],
  'edit-untested': [
    'it changes code before a failing test was shown',
    'Open a task and submit a test that fails: surety task open, surety task test. Then edit.',
  ],
  'unverified-commit': [
    'it commits what was not verified',
    'Verify the working tree first: surety verify --worktree.',
  ],
  'unverified-push': [
    'it pushes what was not verified',
    'Verify the commit first: surety verify --ref HEAD.',
  ],
  unresolved: [
    'what it does cannot be known before it runs',
    'Write the command plainly: literal programs and paths, one step per command.',
  ],
};

const shownMax = 5;

/** The reason with the values that it is about, and what the agent can do instead. */
export function adviceOf(
  rule: CodingRuling['rule'],
  values: readonly string[],
  { writes, hosts }: CodingSettings,
): { readonly reason: string; readonly remedy: string } {
  const [reason, remedy] = advice[rule];
  const shown = values.slice(0, shownMax).map((value) => value.slice(0, 200));
  const more = values.length > shownMax ? `, and ${values.length - shownMax} more` : '';
  return {
    reason: `${reason}: ${shown.join(', ')}${more}`,
    remedy: remedy.replace('{writes}', writes.join(', ')).replace('{hosts}', hosts.join(', ')),
  };
}
