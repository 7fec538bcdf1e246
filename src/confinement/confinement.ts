import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Actor, fault, lazy, writePrivateFile } from '../kernel/index.ts';
import { type Bubblewrap, findBubblewrap, namespaces } from './bubblewrap.ts';
import { inheritedBy } from './environment.ts';
import { connectingOnlyTo, hasLandlock, portsIn } from './landlock.ts';
import { confinementLimits } from './limits.ts';
import { seccompFilter } from './seccomp.ts';
import { hasHome, readOnly, systemView, temporary } from './system-view.ts';

type ConfinementLevel = 'strict' | 'standard' | 'off';

/** What a program that somebody else may have written gets to see. */
export interface ConfinedProgram {
  /** For /bin/sh. */
  readonly script: string;
  readonly directory: string;
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** Parts of what is writable that it can neither write nor replace. */
  readonly fixed?: readonly string[];
  /** Its variables: at the level strict it connects to the ports of the addresses in them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further ports that it needs. */
  readonly ports?: readonly number[];
  /** It is killed when the process that starts it dies. Not so under the keeper, which adopts. */
  readonly endsWithParent?: boolean;
}

interface ConfinementDeps {
  readonly level: ConfinementLevel;
  /** Further paths that the owner shows, read-only. */
  readonly read: readonly string[];
  /** Further variables of the owner's environment that are passed on. */
  readonly environment: readonly string[];
  /** Further TCP ports that programs may connect to at the level strict. */
  readonly connect: readonly number[];
  /** `.surety`, of which nothing is shown but what a program names. */
  readonly state: string;
  /** Installed packages and compiled code that versions share; parts of `.surety`. */
  readonly shared: readonly string[];
  readonly bubblewrap?: () => Bubblewrap;
  readonly landlock?: () => boolean;
}

/** What holds on this machine, for `doctor`, lanes and verdicts. */
interface ConfinementFacts {
  readonly level: ConfinementLevel;
  /** What confines; null when nothing does. */
  readonly by: string | null;
  /** Why nothing confines although the level asks for it. */
  readonly reason: string | null;
}

export function formatConfinement({ level, by, reason }: ConfinementFacts): string {
  if (by !== null) return `${level} by ${by}`;
  return reason === null ? 'off' : `none, because ${reason}`;
}

/**
 * The one place that turns what a program may see into a command line. Candidates and controls,
 * installs, builds, migrations, suites and submitted tests are all started by it.
 */
export class Confinement {
  readonly #deps: ConfinementDeps;
  readonly #system = lazy(() => systemView());
  readonly #filter = lazy(() => this.#writeFilter());

  constructor(deps: ConfinementDeps) {
    this.#deps = deps;
  }

  facts(): ConfinementFacts {
    const { level } = this.#deps;
    if (level === 'off') return { level, by: null, reason: null };
    const { program, version, reason } = { version: null, ...this.#bubblewrap() };
    if (program === undefined) return { level, by: null, reason: reason ?? null };
    const by = `bubblewrap ${version}${this.#filtersPorts() ? ' and Landlock' : ''}`;
    return { level, by, reason: null };
  }

  /** Whether programs are confined at all. */
  get isOn(): boolean {
    return this.facts().by !== null;
  }

  /**
   * Refuses work for an agent where its programs could not be confined. A person's own change runs
   * all the same, as it would from that person's shell, unless the level is strict.
   */
  check(actor: Actor): void {
    const { level, reason } = this.facts();
    if (reason === null || (level !== 'strict' && !actor.startsWith('agent:'))) return;
    throw fault('CONFINEMENT_UNAVAILABLE', { reason });
  }

  /** Whether the baseline is confined as well: it may run changes of agents that were promoted. */
  get confinesBaseline(): boolean {
    return this.#deps.level === 'strict';
  }

  /** What a program inherits of the environment of this process. */
  inherited(): Record<string, string> {
    if (!this.isOn) return process.env as Record<string, string>;
    return inheritedBy(process.env, this.#deps.environment);
  }

  command(program: ConfinedProgram): readonly string[] {
    const { level } = this.#deps;
    const { program: bubblewrap, reason = '' } = level === 'off' ? {} : this.#bubblewrap();
    if (bubblewrap === undefined) {
      if (level === 'strict') throw fault('CONFINEMENT_UNAVAILABLE', { reason });
      return ['/bin/sh', '-c', program.script];
    }
    const words = [...this.#view(program), '--', ...this.#inside(program)];
    const filter = this.#filter();
    if (filter === undefined) return [bubblewrap, ...words];
    // Bubblewrap reads the filter from a descriptor, which only a shell can open for it.
    const open = 'exec 9<"$0"; exec "$@"';
    return ['/bin/sh', '-c', open, filter, bubblewrap, '--seccomp', '9', ...words];
  }

  /** Limits are set, and rights are given up, by what then becomes the program. */
  #inside({ script, environment, ports = [] }: ConfinedProgram): readonly string[] {
    const shell = ['/bin/sh', '-c', `${bounds}${script}`];
    if (!this.#filtersPorts()) return shell;
    const allowed = [...portsIn(environment), ...ports, ...this.#deps.connect];
    return connectingOnlyTo(allowed, shell);
  }

  #filtersPorts(): boolean {
    return this.#deps.level === 'strict' && (this.#deps.landlock ?? hasLandlock)();
  }

  #view({ directory, writable, readable, fixed = [], endsWithParent }: ConfinedProgram): string[] {
    const { state, read, shared } = this.#deps;
    const isAround = (path: string): boolean => state.startsWith(`${path}/`);
    const bind = (path: string): string[] => (hasHome(path) ? [] : ['--bind', path, path]);
    const show = (path: string): string[] => (hasHome(path) ? [] : readOnly(path));
    return [
      ...namespaces,
      ...(endsWithParent ? ['--die-with-parent'] : []),
      ...temporary('/tmp'),
      // Not a link to it: what is shown below it could not be mounted through one.
      ...temporary('/var/tmp'),
      ...this.#system(),
      ...['--proc', '/proc', '--dev', '/dev'],
      ...temporary('/dev/shm'),
      ...['--remount-ro', '/dev'],
      ...[...ownFiles, ...read].flatMap(readOnly),
      ...readable.filter(isAround).flatMap(show),
      ...writable.filter(isAround).flatMap(bind),
      // After all that could contain it, before what is shown of it.
      ...['--tmpfs', state],
      ...[...shared, ...readable.filter((path) => !isAround(path))].flatMap(show),
      ...writable.filter((path) => !isAround(path)).flatMap(bind),
      ...fixed.filter((path) => path !== state).flatMap(readOnly),
      ...['--remount-ro', state, '--remount-ro', '/', '--chdir', directory],
    ];
  }

  /** Where the filter of system calls is; none for a processor that it does not know. */
  #writeFilter(): string | undefined {
    const filter = seccompFilter();
    if (!filter) return undefined;
    const path = join(this.#deps.state, 'seccomp.bpf');
    writePrivateFile(path, filter, { flush: false });
    return path;
  }

  #bubblewrap(): Bubblewrap {
    return (this.#deps.bubblewrap ?? findBubblewrap)();
  }
}

const mebibyte = 1024 * 1024;

/**
 * Set inside of the namespace, where the kernel counts the processes of this program alone. Shells
 * disagree about the letter for processes, and a lower bound that holds already stays.
 */
const fileBlocks = (confinementLimits.confinedDiskMb * mebibyte) / 512;
const bounds = [
  `ulimit -n ${confinementLimits.confinedDescriptors}`,
  `ulimit -f ${fileBlocks}`,
  `ulimit -c 0`,
  `ulimit -u ${confinementLimits.confinedProcesses} || ulimit -p ${confinementLimits.confinedProcesses}`,
]
  .map((command) => `{ ${command}; } 2>/dev/null; `)
  .join('');

/** The preload and `surety/suite` are loaded from where Surety is installed. */
const preload = fileURLToPath(new URL('../preload/tag.cjs', import.meta.url));
const ownPackage = fileURLToPath(new URL('../../package.json', import.meta.url));
const ownHome = dirname(ownPackage);
const besideIt = /^.*\/node_modules(?=\/)/.exec(ownHome) ?? [];
const ownFiles = [
  dirname(dirname(preload)),
  ownPackage,
  join(ownHome, 'clients'),
  join(ownHome, 'node_modules'),
  ...besideIt,
];
