import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ClusterPlan } from './postgres-cluster.ts';
import type { SupervisorReport } from './postgres-messages.ts';

type Report<Kind extends SupervisorReport['kind']> = Extract<SupervisorReport, { kind: Kind }>;

/** The server as seen from the harness; the supervisor is its parent process. */
export class SupervisedServer {
  readonly directory: string;
  pid = 0;
  running = false;
  readonly #supervisor: ChildProcess;
  readonly #gone: Promise<void>;

  private constructor(supervisor: ChildProcess, directory: string) {
    this.#supervisor = supervisor;
    this.directory = directory;
    supervisor.on('message', (report: SupervisorReport) => this.#note(report));
    this.#gone = new Promise((resolve) => {
      supervisor.once('exit', () => resolve(this.#sweep()));
    });
    release(supervisor);
  }

  static async prepare(plan: ClusterPlan): Promise<SupervisedServer> {
    const supervisor = forkSupervisor(plan);
    try {
      const { directory } = await answer(supervisor, 'prepared');
      return new SupervisedServer(supervisor, directory);
    } catch (error) {
      await disconnect(supervisor);
      throw error;
    }
  }

  /** Starts the server, after stopping it when it runs. Started does not mean ready. */
  async start(port: number): Promise<void> {
    hold(this.#supervisor);
    try {
      const started = answer(this.#supervisor, 'started');
      this.#supervisor.send({ port });
      await started;
    } finally {
      release(this.#supervisor);
    }
  }

  kill(): void {
    if (!this.running) return;
    // At once: by the time the supervisor tells us, the number may be another process.
    this.running = false;
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async stop(): Promise<void> {
    await disconnect(this.#supervisor);
    await this.#gone;
  }

  #note(report: SupervisorReport): void {
    if (report.kind === 'started') {
      this.pid = report.pid;
      this.running = true;
    }
    if (report.kind === 'exited' && report.pid === this.pid) this.running = false;
  }

  /** There is nothing to do, unless the supervisor itself was killed. */
  async #sweep(): Promise<void> {
    if (this.#supervisor.exitCode !== 0) this.kill();
    this.running = false;
    await rm(this.directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

function forkSupervisor(plan: ClusterPlan): ChildProcess {
  const script = fileURLToPath(new URL('./postgres-supervisor.ts', import.meta.url));
  return fork(script, [JSON.stringify(plan)], {
    cwd: '/',
    // A session of its own: Ctrl-C in the terminal must reach us and not the one who cleans up.
    detached: true,
    // Not ours: a test runner's loaders or an inspector's port have no business there.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The next report of that kind; a failure, or the end of the supervisor, rejects. */
function answer<Kind extends SupervisorReport['kind']>(
  supervisor: ChildProcess,
  kind: Kind,
): Promise<Report<Kind>> {
  const { promise, resolve, reject } = Promise.withResolvers<Report<Kind>>();
  const onMessage = (report: SupervisorReport) => {
    if (report.kind === kind) resolve(report as Report<Kind>);
    if (report.kind === 'failed') reject(new Error(report.message));
  };
  const onExit = () => reject(new Error('The supervisor of PostgreSQL has ended.'));
  supervisor.on('message', onMessage).once('exit', onExit).once('error', reject);
  return promise.finally(() => {
    supervisor.off('message', onMessage).off('exit', onExit).off('error', reject);
  });
}

async function disconnect(supervisor: ChildProcess): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  hold(supervisor);
  const { promise, resolve } = Promise.withResolvers<void>();
  supervisor.once('exit', () => resolve());
  if (supervisor.connected) supervisor.disconnect();
  await promise;
}

/** While a server merely runs it keeps nobody alive: a script that forgets stop() still ends. */
function release(supervisor: ChildProcess): void {
  supervisor.unref();
  supervisor.channel?.unref();
}

function hold(supervisor: ChildProcess): void {
  supervisor.ref();
  supervisor.channel?.ref();
}
