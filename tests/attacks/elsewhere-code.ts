import type { AttemptElsewhere } from './attempt.ts';
import { madeIn } from './made-in.ts';

const confinement = 'src/confinement/confinement.test.ts';

/** Attempts of code under test that tests in other folders make. */
export const attemptsByCodeElsewhere: readonly AttemptElsewhere[] = [
  ...madeIn('code under test', confinement, [
    ["reads the owner's token", 'no such file', "the owner's token"],
    ['reads the signing key', 'no such file', 'the signing key'],
    ["reads the owner's SSH key", 'no such file', "the owner's SSH key"],
    [
      'reads an untracked file of the checkout',
      'no such file',
      'an untracked file of the checkout',
    ],
    ["reads a variable of the owner's shell", 'not there', 'a variable of the shell'],
    ["connects to the keeper's socket", 'no such file', "the keeper's socket"],
    ['signals a process of the owner', 'no such process', "an owner's process, to signal it"],
    [
      "reads the environment of the owner's process",
      'no such process',
      "an owner's process, to read its environment",
    ],
    ['writes into the state directory', 'no such file', 'its own state directory, to write it'],
    ['opens a user namespace', 'not permitted', 'a user namespace'],
    ['fills the disk', 'file too large', 'a file beyond the bound of its disk'],
    ['writes outside of its version', 'not written', 'writes nothing outside of its own version'],
    [
      'runs where nothing can confine it',
      'CONFINEMENT_UNAVAILABLE',
      'refuses the changes of agents, with a remedy',
    ],
  ]),
  ...madeIn('code under test', 'tests/defeat-devices.test.ts', [
    [
      'behaves well only where SURETY_LANE is set',
      'taken back',
      'an environment variable',
      'promotion-returned',
    ],
    [
      'behaves well only for requests with a key',
      'taken back',
      'a header of the request',
      'promotion-returned',
    ],
    [
      'behaves well only for its first requests',
      'taken back',
      'the number of requests since its start',
      'promotion-returned',
    ],
    ['behaves well only at first', 'taken back', 'the time since its start', 'promotion-returned'],
  ]),
  ...madeIn('code under test', 'src/keeper/children.test.ts', [
    [
      'leaves a detached process behind',
      'killed',
      'that is stopped takes its detached grandchildren along',
    ],
    [
      'forks while it is killed',
      'killed',
      'that keeps forking during a sweep is killed completely',
    ],
  ]),
  ...madeIn('code under test', 'src/router/hostile.test.ts', [
    [
      'smuggles a request through the router in one of sixty forms',
      'only its intended service',
      'comes in at least sixty forms, none of which smuggles a request',
    ],
  ]),
  ...madeIn('code under test', 'src/keeper/inherited-descriptors.test.ts', [
    [
      'reads a file that the shell which started Surety left open',
      'no descriptor',
      'programs that the keeper starts get no descriptor of the shell that started the keeper',
    ],
  ]),
  ...madeIn('code under test', 'src/cli/format/visible.test.ts', [
    ['writes escape sequences to a terminal', 'shown as text', 'a\\u001b[2Kb'],
  ]),
  ...madeIn('code under test', 'src/preload/key/trace-tag.test.ts', [
    ['makes up the trace id of a lane', 'no lane', 'with a wrong signature'],
    [
      'reads the lane of a trace id without the secret',
      'no lane',
      'cannot be read without the secret or with another secret',
    ],
  ]),
];
