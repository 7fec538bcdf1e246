'use strict';

const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { clearInterval, setInterval } = require('node:timers');
const { fileURLToPath } = require('node:url');
const { threadId } = require('node:worker_threads');
const { outside, requests, traces } = require('../context/storages.cjs');
const { safely } = require('../reports/safely.cjs');
const { findMapped } = require('./source-map.cjs');

/** Where a breakpoint finds the function that notes it; not enumerable. */
const noteSymbol = Symbol.for('surety.coverage');
const lookEveryMs = 100;
/** Breakpoints of one thread. */
const pointsMax = 4_000;

/**
 * Records which of the watched lines run, by breakpoints that never pause and are removed when
 * they are hit. V8's own coverage counts every block of every file, which costs 10 to 40 % of the
 * CPU time of a request, also after it has stopped.
 */
function recordCoverage(directory, service) {
  const watched = new Map(Object.entries(JSON.parse(readFileSync(join(directory, 'lines.json')))));
  const recorder = new Recorder(
    watched,
    join(directory, `${service}.${process.pid}.${threadId}.jsonl`),
  );
  recorder.start();
  const isDone = join(directory, 'done');
  const look = () => {
    if (!existsSync(isDone)) return;
    clearInterval(timer);
    safely(() => recorder.end());
  };
  const timer = outside(() => setInterval(look, lookEveryMs).unref());
}

class Recorder {
  #watched;
  #file;
  #session;
  /** The breakpoints that were not hit yet. */
  #armed = new Map();
  #points = 0;
  #knowsSources = false;

  constructor(watched, file) {
    this.#watched = watched;
    this.#file = file;
  }

  start() {
    const { Session } = require('node:inspector');
    this.#session = new Session();
    this.#session.connect();
    const note = (point) => safely(() => this.#note(point));
    Object.defineProperty(globalThis, noteSymbol, { value: note });
    // V8 calls this before the script runs, so that its first line counts, too.
    this.#session.on('Debugger.scriptParsed', ({ params }) => safely(() => this.#arm(params)));
    this.#post('Debugger.enable');
    // A `debugger` statement would stop the service for ever.
    this.#post('Debugger.setSkipAllPauses', { skip: true });
    this.#write({ started: 'node' });
  }

  end() {
    this.#armed.clear();
    this.#post('Debugger.disable');
    this.#session.disconnect();
  }

  /** Watches the lines of a script that stand for watched lines. */
  #arm({ url, scriptId, sourceMapURL }) {
    if (!url.startsWith('file:') || url.includes('/node_modules/')) return;
    const path = fileURLToPath(url.replace(/[?#].*$/, ''));
    const own = this.#watched.get(path);
    // The map may be missing, although the script names one.
    const mapped = sourceMapURL
      ? safely(() => findMapped(sourceMapURL, path, this.#watched))
      : undefined;
    if (mapped !== undefined || /\.[cm]?tsx?$/.test(path)) this.#noteSources();
    const lines = mapped ?? own?.map((line) => ({ line, from: 0, to: Infinity, file: path }));
    if (lines === undefined || lines.length === 0) return;
    const points = lines.flatMap((line) => this.#armLine(scriptId, line, Boolean(mapped)));
    for (const [file, own] of groupByFile(points)) this.#write({ loaded: file, points: own });
  }

  /** Without source maps nobody knows which lines a compiled script was made from. */
  #noteSources() {
    if (this.#knowsSources) return;
    this.#knowsSources = true;
    this.#write({ started: 'typescript' });
  }

  #armLine(scriptId, { line, from, to, file, source }, isMapped) {
    const at = (lineNumber, columnNumber) => ({ scriptId, lineNumber, columnNumber });
    const range = {
      start: at(line - 1, from),
      end: to === Infinity ? at(line, 0) : at(line - 1, to),
    };
    const { locations } = this.#post('Debugger.getPossibleBreakpoints', range);
    return locations.flatMap((location) => {
      // A return is reported beside its statement, and also where a function merely ends.
      if (location.type === 'return' || this.#points >= pointsMax) return [];
      const point = isMapped ? source : [line, location.columnNumber];
      const id = this.#points++;
      const condition = `(globalThis[Symbol.for('surety.coverage')]?.(${id}), false)`;
      const { breakpointId } = this.#post('Debugger.setBreakpoint', { location, condition });
      this.#armed.set(id, { breakpointId, file, point });
      return [{ file, point }];
    });
  }

  /** Written at once: a service may be killed by what it does next. */
  #note(id) {
    const hit = this.#armed.get(id);
    if (hit === undefined) return;
    this.#armed.delete(id);
    this.#write({ ran: hit.file, point: hit.point, ...currentRequest() });
    // At once: a loop that reaches it a million times would evaluate its condition as often.
    this.#post('Debugger.removeBreakpoint', { breakpointId: hit.breakpointId });
  }

  #write(record) {
    appendFileSync(this.#file, `${JSON.stringify(record)}\n`);
  }

  /** The inspector answers at once, as it is in this thread. */
  #post(method, params) {
    let answer;
    this.#session.post(method, params, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  }
}

/** Without reports, a service knows only the trace of its request. */
function currentRequest() {
  const { method, path, traceparent } = traces.getStore() ?? {};
  const trace = traceparent ?? requests.getStore()?.handedOn?.traceparent;
  return { request: method && `${method} ${path}`, trace: trace?.split('-')[1] };
}

function groupByFile(points) {
  const files = new Map();
  for (const { file, point } of points) {
    files.set(file, [...(files.get(file) ?? []), point]);
  }
  return files;
}

module.exports = { recordCoverage };
