'use strict';

/** One agent in each process: what it was given. */
let session, send, limits, patterns;

const probes = new Map();
let second = 0;
let pauses = 0;
let isListening = false;

const post = (method, params) =>
  new Promise((resolve, reject) => {
    session.post(method, params, (error, answer) => {
      if (error) reject(new Error(error.message));
      else resolve(answer);
    });
  });

async function place(spec) {
  probes.set(spec.id, { ...spec, hits: 0, seen: 0 });
  if (!isListening) session.on('Debugger.paused', paused);
  isListening = true;
  await post('Debugger.enable');
  await post('Debugger.setPauseOnExceptions', { state: 'all' });
  return { points: 1 };
}

async function remove(id) {
  const probe = probes.get(id);
  probes.delete(id);
  if (probes.size === 0) await post('Debugger.disable');
  return { summary: probe ? summarize(probe) : null };
}

const summarize = ({ hits, seen }) => ({
  hits,
  evaluated: seen,
  estimatedHits: seen,
  perSecond: 0,
});

/** All is posted at once, with "go on" last: the process waits for one way there and back. */
function paused({ params: { reason, data, callFrames } }) {
  const isException = reason === 'exception' || reason === 'promiseRejection';
  const found = isException ? findProbe(callFrames) : undefined;
  const reading = found && read(found, data, callFrames);
  limit();
  session.post('Debugger.resume');
  reading?.catch(() => {});
}

function findProbe(callFrames) {
  for (const frame of callFrames.slice(0, limits.exceptionFrames)) {
    for (const probe of probes.values())
      if (isInside(frame.location, probe)) return { probe, frame };
  }
  return undefined;
}

/** In the function itself: one inside of it may be blocked. */
function isInside(location, { scriptId, range, others }) {
  if (location.scriptId !== scriptId || !contains(range, location)) return false;
  return !others.some((one) => contains(one, location));
}

/** Line and column of start and end. */
function contains([fromLine, fromColumn, toLine, toColumn], { lineNumber, columnNumber = 0 }) {
  const isAfter = lineNumber > fromLine || (lineNumber === fromLine && columnNumber >= fromColumn);
  return isAfter && (lineNumber < toLine || (lineNumber === toLine && columnNumber < toColumn));
}

async function read({ probe, frame }, data, callFrames) {
  probe.seen++;
  const evaluated = Promise.all(
    probe.expressions.map((expression) =>
      post('Debugger.evaluateOnCallFrame', {
        callFrameId: frame.callFrameId,
        expression,
        throwOnSideEffect: true,
        silent: true,
        timeout: limits.evaluationMs,
      }).catch((error) => ({ error: error.message })),
    ),
  );
  const answers = await evaluated;
  if (probe.condition && answers[0]?.result?.value !== true) return;
  const read = probe.condition ? answers.slice(1) : answers;
  const values = read.map((answer, index) => toObservation(answer, probe.secrets[index]));
  const stack = callFrames.slice(0, limits.frames).map(toFrame);
  const [message] = String(data?.description ?? data?.value ?? 'exception').split('\n');
  const capture = { hit: ++probe.hits, values, stack, message: message.slice(0, 512) };
  send({ event: 'capture', probe: probe.id, capture });
  send({ event: 'summary', probe: probe.id, summary: summarize(probe) });
  if (probe.hits < probe.hitsMax) return;
  await remove(probe.id);
  send({ event: 'ended', probe: probe.id, reason: 'hits', summary: summarize(probe) });
}

/** Off for the rest of the second once there were enough. */
function limit() {
  const now = Math.floor(performance.now() / 1_000);
  if (now !== second) [second, pauses] = [now, 0];
  if (++pauses < limits.pausesPerSecond) return;
  session.post('Debugger.setPauseOnExceptions', { state: 'none' });
  setTimeout(() => {
    if (probes.size > 0) session.post('Debugger.setPauseOnExceptions', { state: 'all' });
  }, 1_000).unref();
}

/**
 * Exceptions can only be seen by pausing. The main thread stands still for about two milliseconds
 * at each, so they are counted per second, and everything is read with V8's own check for side
 * effects.
 */
function createExceptions(given) {
  ({ session, send, limits } = given);
  patterns = JSON.parse(given.secretNames).map(({ source, flags }) => new RegExp(source, flags));
  return { place, remove, close: () => probes.size > 0 && session.post('Debugger.disable') };
}

function toFrame({ functionName, location, url }) {
  const { lineNumber, columnNumber = 0 } = location;
  return { function: functionName, file: url, line: lineNumber + 1, column: columnNumber + 1 };
}

/** A text that the expression itself made of its value. */
function toObservation(answer, isSecret) {
  if (answer.error) return { error: answer.error };
  const details = answer.exceptionDetails;
  if (details) return { error: explain(String(details.exception?.description ?? details.text)) };
  const [kind, value] = JSON.parse(answer.result.value);
  return [kind, isSecret ? '[redacted]' : redact(value)];
}

/** Members with the names of secrets, before they leave the process. */
function redact(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((item, index) => (isValueOf(value, index) ? '[redacted]' : redact(item)));
  const members = Object.entries(value).map(([name, member]) => [
    name,
    isSecretName(name) ? '[redacted]' : redact(member),
  ]);
  return Object.fromEntries(members);
}

const isSecretName = (name) => patterns.some((pattern) => pattern.test(name));

/** In a list of names and values in turn, as the raw headers of a request are. */
function isValueOf(list, index) {
  const name = list[index - 1];
  return index % 2 === 1 && typeof name === 'string' && isSecretName(name);
}

function explain(description) {
  const [first] = description.split('\n');
  return first.startsWith('EvalError: Possible side-effect')
    ? 'reading it would change the process, so V8 refused'
    : first;
}

module.exports = { createExceptions };
