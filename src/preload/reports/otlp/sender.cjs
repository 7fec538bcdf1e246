'use strict';

const net = require('node:net');
const { setTimeout } = require('node:timers');
const { safely } = require('../safely.cjs');
const { outside } = require('../trace.cjs');

const answerMsMax = 10_000;
/** More than our receiver ever answers; a longer answer is from somebody else. */
const answerCharsMax = 64 * 1024;

/**
 * One connection to the receiver, which does not keep the process alive. It does not use node:http,
 * because at the end of a process only direct writes to a connection are still sent. `done` gets
 * `taken`, `refused` or `again`.
 */
function createSender({ host, port }) {
  const sender = { socket: undefined, done: undefined, timer: undefined, answer: '' };
  return {
    isFree: () => sender.done === undefined,
    connect: () => outside(() => connect(sender, { host, port })),
    send(bytes, done) {
      sender.done = done;
      sender.timer = outside(() =>
        setTimeout(() => safely(() => drop(sender, 'refused')), answerMsMax).unref(),
      );
      if (sender.socket === undefined) this.connect();
      sender.socket.write(bytes);
    },
    /** The system sends what fits into its buffer; there is no second chance. */
    sendLast(bytes) {
      if (sender.socket !== undefined && !sender.socket.connecting) sender.socket.write(bytes);
    },
  };
}

function connect(sender, address) {
  if (sender.socket !== undefined) return;
  const socket = net.connect({ ...address, noDelay: true });
  socket.unref();
  sender.socket = socket;
  sender.answer = '';
  socket.on('error', () => {});
  // A receiver that closes the connection without an answer has not accepted the batch.
  socket.on('close', () => sender.socket === socket && safely(() => drop(sender, 'again')));
  socket.on('data', (chunk) => sender.socket === socket && safely(() => hear(sender, chunk)));
}

function hear(sender, chunk) {
  sender.answer += chunk.toString('latin1');
  const answer = readAnswer(sender.answer);
  if (answer === undefined && sender.answer.length <= answerCharsMax) return;
  const { status = 0, isWhole = false } = answer ?? {};
  if (!isWhole || sender.done === undefined) return drop(sender, outcomeOf(status));
  sender.answer = '';
  finish(sender, outcomeOf(status));
}

/**
 * Undefined until it is complete. After an answer without a recognisable end, nothing more is read.
 */
function readAnswer(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end).toLowerCase();
  const status = Number(/^http\/1\.\d (\d{3})/.exec(head)?.[1] ?? 0);
  const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) return { status, isWhole: false };
  return text.length < end + 4 + length ? undefined : { status, isWhole: true };
}

function outcomeOf(status) {
  if (status >= 200 && status < 300) return 'taken';
  return status === 429 || (status >= 502 && status <= 504) ? 'again' : 'refused';
}

function drop(sender, outcome) {
  const { socket } = sender;
  sender.socket = undefined;
  socket?.destroy();
  finish(sender, outcome);
}

function finish(sender, outcome) {
  const { done, timer } = sender;
  if (done === undefined) return;
  clearTimeout(timer);
  sender.done = undefined;
  done(outcome);
}

module.exports = { createSender };
