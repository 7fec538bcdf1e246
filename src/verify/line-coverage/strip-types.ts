import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';

/** Long enough for a thread to start on a busy machine. */
const answerMsMax = 60_000;

const program = `
const { stripTypeScriptTypes } = require('node:module');
const { port, answers } = require('node:worker_threads').workerData;
const strip = (text) => {
  try {
    return { code: stripTypeScriptTypes(text, { mode: 'strip' }), isBroken: false };
  } catch ({ code }) {
    return { code: null, isBroken: !String(code).endsWith('_TYPESCRIPT_SYNTAX') };
  }
};
port.on('message', (text) => {
  port.postMessage(strip(text));
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
});
`;

interface Answer {
  readonly code: string | null;
  /** The thread can remove no more types. */
  readonly isBroken: boolean;
}

/**
 * Removes types in a thread of its own. Code that is nested deeply breaks Node's own way to do so
 * for good in the thread where it is tried, also for the modules that it imports later.
 */
class StripThread {
  readonly #answers = new Int32Array(new SharedArrayBuffer(4));
  readonly #port: MessagePort;
  readonly #worker: Worker;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(program, {
      eval: true,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      workerData: { port: port2, answers: this.#answers },
      transferList: [port2],
    });
    this.#worker.unref();
  }

  strip(text: string): Answer {
    const before = Atomics.load(this.#answers, 0);
    this.#port.postMessage(text);
    Atomics.wait(this.#answers, 0, before, answerMsMax);
    const answer = receiveMessageOnPort(this.#port)?.message as Answer | undefined;
    return answer ?? { code: null, isBroken: true };
  }

  end(): void {
    this.#port.close();
    void this.#worker.terminate();
  }
}

let thread: StripThread | undefined;

/** The text with blanks in place of its types; null if it is no TypeScript or nested too deeply. */
export function stripTypes(text: string): string | null {
  thread ??= new StripThread();
  const { code, isBroken } = thread.strip(text);
  if (isBroken) {
    thread.end();
    thread = undefined;
  }
  return code;
}
