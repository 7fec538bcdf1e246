'use strict';

const context = require('../context/context.cjs');
const { messageMs, plainHeaders } = require('./messages.cjs');

const ackPrefix = '$JS.ACK.';
const ackForm = /^\$JS\.ACK\.(?:[^.]+\.[^.]+\.)?[^.]+\.([^.]+)(?:\.\d+){5}/;
const pullForm = /^\$JS\.API\.CONSUMER\.MSG\.NEXT\.[^.]+\.([^.]+)$/;

/** The context of a message, for loops over messages; null for a message without a key. */
const contexts = new WeakMap();

/** The trace of a message that a loop or JetStream handles later. */
const traces = new WeakMap();

/**
 * The client for NATS, in the packages `nats` and `@nats-io/nats-core`. Every message, sent or
 * received, passes through one class.
 */
function tagNats({ ProtocolHandler: { prototype } }, { headers, Queue }, messages) {
  tagPublish(prototype, headers, messages);
  tagSubscribe(prototype, headers, messages);
  tagLoops(Queue.prototype, messages.reported);
}

function tagPublish(prototype, headers, messages) {
  const { publish } = prototype;
  prototype.publish = function (subject, payload, options) {
    if (messages.isCandidate) refuseForeignPull(subject, messages);
    const send = (all) => Reflect.apply(publish, this, [subject, payload, all]);
    if (!isForServices(subject, this)) return send(options);
    const tagged = tag(options, headers, messages);
    const about = { destination: subject, address: addressOf(this) };
    const { reported } = messages;
    const call = reported?.begin('nats', about);
    if (call === undefined) return send(tagged);
    const traceparentFor = (given) => reported.traceparentFor(call, given);
    const all = hasRoomForTrace(this, payload)
      ? withTrace(tagged, headers, traceparentFor)
      : tagged;
    return reported.sent(call, () => send(all));
  };
}

function addressOf({ server }) {
  return server?.hostname ? `${server.hostname}:${server.port}` : undefined;
}

/** Enough for a trace and the headers of an application together. */
const headerBytes = 4_096;

/** A message must not exceed the maximum size because of the headers that we add. */
function hasRoomForTrace({ info }, payload) {
  const bytes = (payload?.length ?? 0) * (typeof payload === 'string' ? 3 : 1);
  return Boolean(info?.headers) && bytes + headerBytes < info.max_payload;
}

/** Adds the trace, so that the processing of the message is found in it. */
function withTrace(options, headers, traceparentFor) {
  const given = options?.headers;
  const traceparent = traceparentFor(given?.get('traceparent') || undefined);
  if (traceparent === undefined) return options;
  const all = copyOf(given, headers);
  put(all, 'traceparent', traceparent);
  return { ...options, headers: all };
}

/** Replies and messages to the server itself have no consumer to choose. */
function isForServices(subject, { options }) {
  return !subject.startsWith('$') && !subject.startsWith(`${options.inboxPrefix ?? '_INBOX'}.`);
}

/** A copy, because the application may reuse its headers for the next message. */
function tag(options, headers, messages) {
  const given = options?.headers;
  const added = messages.headersToSend(given ? plainHeaders(given) : {});
  if (added === undefined) return options;
  const all = copyOf(given, headers);
  for (const name of ['baggage', 'tracestate', 'traceparent', 'x-surety-from']) {
    if (added[name] !== undefined) put(all, name, added[name]);
  }
  return { ...options, headers: all };
}

function copyOf(given, headers) {
  if (!given) return headers();
  // The constructor accepts any received status; `headers` throws for a code without a description.
  const all = new given.constructor(given.code, given.description);
  for (const [name, values] of given) for (const value of values) all.append(name, value);
  return all;
}

function put(all, name, value) {
  for (const other of all.keys()) if (other.toLowerCase() === name) all.delete(other);
  all.set(name, value);
}

/**
 * The baseline's consumer delivers a message to one puller only: a candidate would take it away.
 */
function refuseForeignPull(subject, { lane }) {
  const [, consumer] = pullForm.exec(subject) ?? [];
  if (consumer === undefined || consumer.endsWith(lane)) return;
  const reason =
    `The JetStream consumer ${consumer} has the baseline's work. In a lane use one of its own: ` +
    `ownName('${consumer}') of surety/queue, which is ${consumer}-${lane}.`;
  // Some ways to pull do not report errors to the application.
  process.stderr.write(`surety: ${reason}\n`);
  throw new Error(reason);
}

function tagSubscribe(prototype, headers, messages) {
  const { subscribe } = prototype;
  prototype.subscribe = function (subscription) {
    const isInbox = !isForServices(subscription.subject, this);
    // In the baseline's queue group a candidate would receive messages of the baseline.
    if (messages.isCandidate && subscription.queue && !isInbox) {
      subscription.queue = `${subscription.queue}-${messages.lane}`;
    }
    filter(subscription, { isInbox, headers, messages });
    return Reflect.apply(subscribe, this, [subscription]);
  };
}

/** Messages of lanes wait in order for the router's answer; other messages do not wait. */
function filter(subscription, { isInbox, headers, messages }) {
  const { callback: deliver } = subscription;
  let last = Promise.resolve();
  subscription.callback = function (error, message) {
    const direct = () => Reflect.apply(deliver, this, [error, message]);
    const isStored = !error && message.reply?.startsWith(ackPrefix);
    if (error || (isInbox && !isStored)) return direct();
    const plain = message.headers && plainHeaders(message.headers);
    const read = plain && messages.read(plain);
    const isLater = !subscription.noIterator || isStored;
    const trace = traceOf(message, { plain, read, messages });
    const pass = () => passOn(direct, message, { trace, isLater, messages });
    const about = { read, message, pass, headers, messages, isInbox };
    if (!read)
      return isForCandidates(message, messages) ? serveNobody(message, pass) : leave(about);
    const answer = messages.whose({ ...read, name: message.subject, payload: message.data });
    last = last.then(async () => settle(await answer, about));
  };
}

function traceOf({ subject }, { plain, read, messages }) {
  const about = { destination: subject, traceparent: plain?.traceparent, lane: read?.key };
  return messages.reported?.receive('nats', about);
}

/** A callback runs now; a loop, or code behind JetStream, handles the message later. */
function passOn(direct, message, { trace, isLater, messages: { reported } }) {
  if (trace === undefined) return direct();
  if (!isLater) return reported.handle(trace, direct);
  traces.set(message, trace);
  return reported.within(trace, direct);
}

/** Data that the server stores for all (key-value buckets, objects) is no message to a service. */
function isForCandidates({ subject }, { isCandidate }) {
  return !isCandidate || subject.startsWith('$');
}

/**
 * Tells JetStream not to deliver the message again, unless it belongs to the baseline's consumer,
 * which answers itself.
 */
function leave({ message, messages, isInbox }) {
  const [, consumer] = ackForm.exec(message.reply) ?? [];
  if (consumer === undefined) return;
  const isOwn = !messages.isCandidate || isInbox || consumer.endsWith(messages.lane);
  if (isOwn) message.respond('+TERM');
}

function serveNobody(message, pass) {
  context.meet(undefined);
  contexts.set(message, null);
  return context.outside(pass);
}

function settle(whose, about) {
  const { read, message, pass, headers, messages } = about;
  if (whose === 'mine') {
    context.meet(read.key);
    const opened = messages.open(read);
    contexts.set(message, opened);
    messages.serve(opened, pass);
    return;
  }
  if (whose === 'refused') messages.refuse({ ...read, name: message.subject });
  if (message.reply?.startsWith(ackPrefix)) leave(about);
  // Replies at once, so that a caller does not wait for a timeout.
  else if (whose === 'refused' && message.reply) {
    message.respond(undefined, { headers: headers(503, 'lane ended') });
  }
}

/**
 * A loop over messages continues in the context in which it waited. Reading the message of an
 * iteration is the moment at which its context can be entered in the loop itself.
 */
function tagLoops(prototype, reported) {
  const { [Symbol.asyncIterator]: iterate } = prototype;
  prototype[Symbol.asyncIterator] = function () {
    return withContexts(Reflect.apply(iterate, this, []), reported);
  };
}

/** JetStream wraps the received message. */
function contextOf(value) {
  const found = contexts.get(value);
  return found === undefined ? contexts.get(value?.msg) : found;
}

/** Only once: reading it again is the same iteration. */
function takeTrace(value) {
  const message = traces.has(value) ? value : value?.msg;
  const trace = traces.get(message);
  traces.delete(message);
  return trace;
}

const isServedHere = (serving) => context.entered()?.request === serving;

function withContexts(iterator, reported) {
  let serving;
  let handled;
  // The context of the loop itself, such as a request that waits for a message.
  let outerContext;
  let outerTrace;
  const leave = () => {
    if (handled === undefined && serving === undefined) return;
    // Requests may share an iterator: one must not continue in the context of another.
    const isHere = handled ? reported.leave(handled, outerTrace) : isServedHere(serving);
    if (serving !== undefined) context.close(serving, messageMs);
    if (isHere) context.enter(outerContext);
    serving = undefined;
    handled = undefined;
    outerContext = undefined;
    outerTrace = undefined;
  };
  const turn = ({ done, value }) => ({
    done,
    get value() {
      // Other values than messages, such as replies, belong to the code that waits for them.
      const found = done ? undefined : contextOf(value);
      if (found === undefined) return value;
      const before = context.entered();
      if (before !== serving) outerContext = before;
      serving = found ?? undefined;
      context.enter(serving);
      handled ??= takeTrace(value);
      const trace = handled && reported.enter(handled);
      if (trace !== handled) outerTrace = trace;
      return value;
    },
  });
  const step =
    (name) =>
    (...args) => {
      leave();
      return Promise.resolve(iterator[name](...args)).then(turn);
    };
  return {
    next: step('next'),
    return: step('return'),
    throw: step('throw'),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

module.exports = { tagNats };
